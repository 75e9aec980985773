// Shows the host's view of the game, and sends moves to the host. There are two hosts, each with two functions: `ask`
// answers a request, and `draw` shows the picture. The host in server.js forwards requests to the program on this
// machine, which may refuse them; the host in file.js answers from the data in the page.
//
// Each request names the game and the turn that this page shows. If the game has continued meanwhile, the request is
// refused, and the page shows the current state.
"use strict";

let view = null; // the last view from the host
let shown = {}; // the digests that were shown before moves, by the number of the move
let busy = false;
let reviewed = 0; // the index of the decision that is reviewed; one more than the last for the end of the game
const GLYPHS = { inaccuracy: "?!", mistake: "?", blunder: "??" }; // as in records of chess games

function hex(bytes) {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function put(id, text) {
  $(id).textContent = text;
  $(id).hidden = text === "";
}

function putLines(id, lines) {
  $(id).replaceChildren(...lines.map((line) => element("p", line)));
}

async function act(path, more) {
  if (busy || view === null) return false;
  busy = true;
  try {
    show(await ask(path, { game: view.game, turn: view.turn, ...more }), true);
    put("message", "");
    return true;
  } catch (error) {
    if (error.view) show(error.view, true);
    put("message", error.message);
    return false;
  } finally {
    busy = false;
  }
}

async function reload() {
  try {
    const now = await ask("state");
    if (view === null || now.game !== view.game || now.turn !== view.turn) show(now, view === null || Boolean(view.lobby));
  } catch (error) {
    put("message", error.message);
  }
}

// -- showing ------------------------------------------------------------------------------

function show(now, focus) {
  const before = view;
  if (!before || now.game !== before.game) shown = {};
  if (now.digest) shown[now.number] = now.digest;
  view = now;
  $("lobby").hidden = !now.lobby;
  document.querySelector("main").hidden = Boolean(now.lobby);
  if (now.lobby) {
    if (!before || now.game !== before.game) showLobby();
    return;
  }
  document.title = `${now.title} ${now.parameters}`.trim();
  put("title", now.title);
  put("parameters", now.parameters);
  put("players", [`You play against ${new Intl.ListFormat("en").format(now.opponents)}.`, now.seat, now.series.standing].filter((each) => each).join(" "));
  const [, goal, rest] = /^(.*?[.!?](?= )|.*)\s*([^]*)$/.exec(now.rules); // the first sentence says how to win
  put("goal", goal);
  putLines("how", rest.split("\n"));
  draw(now);
  // The moves just made are turned up. Nothing waits for that, and clicks go through.
  const turned = before && now.game === before.game && now.number > before.number ? now.picture.turned : [];
  $("turned").replaceChildren(...turned.map((place) => laid(element("span", ""), place)));
  const main = document.querySelector("main");
  main.style.setProperty("--ratio", now.picture.size[0] / now.picture.size[1]);
  if (!now.ending) main.classList.toggle("apart", !now.picture.spots.length); // the choices are buttons below it
  $("scene").style.aspectRatio = now.picture.size.join(" / ");
  $("filter").value = "";
  choices = now.choices;
  picked = [];
  showEnd();
  showChoices();
  showReview();
  showStep(now.last);
  showSeals();
  if (!focus || (!before && window.parent !== window)) return; // a page inside another must not scroll it
  // No move is selected at first: a second press of Enter must not play one.
  if (!now.ending) turnToMove();
  else if (!now.out || !before || !before.out) $("end").focus(); // nothing is selected at the end either
}

function inWords(moves) {
  return moves.map(([who, what]) => `${who}: ${what}`).join(" · ");
}

// Shows the human player's move with its verdict, and the moves that followed.
function showStep(last) {
  const steps = last ? [last.moves, ...last.later.slice(-3)].filter((moves) => moves.length) : [];
  $("moves").replaceChildren(...steps.map((moves) => element("span", inWords(moves))));
  put("outcome", last?.outcome ?? "");
  put("sentence", last?.verdict?.sentence ?? "");
  $("sentence").classList.toggle("costly", last?.verdict?.lost > 0);
  put("why", view.ending && last?.verdict ? last.verdict.why : "");
  $("result").hidden = steps.length === 0;
  put("total", view.total);
  put("given-away", view.given_away);
  $("costs").hidden = view.total === "" || view.account.length > 0;
  put("worth-title", view.judged ? "What is this position worth?" : "Moves are not judged.");
  put("worth-text", view.worth);
  $("worth").hidden = view.worth === "";
  showMix(last?.verdict?.rows ?? []);
}

// Fills a table that is hidden while it has no rows; `id` names the table or the panel around it.
function putRows(id, rows) {
  $(id).hidden = rows.length === 0;
  $(id).querySelector("tbody").replaceChildren(...rows);
}

function rowHead(text) {
  const head = element("th", text);
  head.scope = "row";
  return head;
}

function showEnd() {
  $("end").hidden = $("after").hidden = !view.ending;
  put("ending", view.result);
  put("sum", view.ending);
  put("grades", view.grades);
  $("explained").hidden = !view.account.length;
  const most = Math.max(...view.account.map(([, points]) => Math.abs(points)));
  putRows("account", view.account.map(([label, points, why]) => {
    const bar = barCell(Math.abs(points) / (most || 1));
    bar.classList.toggle("minus", points < 0);
    return row([rowHead(label), element("td", points, "n"), bar, element("td", why, "quiet")]);
  }));
  putLines("told", [view.series.standing, ...view.series.said].filter((line) => line));
  $("watch").hidden = !view.out;
  fill("series", lengthNames(), view.lengths.indexOf(view.series.length));
  showNext();
}

// The button continues a series, unless it is over or the user wants another number of games.
function newSeries() {
  return view.series.decided || view.lengths[$("series").selectedIndex] !== view.series.length;
}

function showNext() {
  const length = view.lengths[$("series").selectedIndex];
  put("new", !length ? "Play again" : newSeries() ? `Start a best of ${length}` : "Next game");
}

function lengthNames() {
  return view.lengths.map((length) => (length ? `best of ${length}` : "as many as you like"));
}

function showMix(rows) {
  const most = Math.max(...rows.map(({ share }) => share));
  putRows("mix", rows.map(({ name, probability, share, cost, free, played }) => {
    const head = rowHead(name);
    if (played) head.append(element("small", " you"));
    const cells = [head, barCell(share / most), element("td", probability, "n"), element("td", cost, "n", free ? "free" : "costly")];
    return played ? row(cells, "played") : row(cells);
  }));
}

// A button for each decision, marked as in records of chess games, and one for the end of the game.
function showReview() {
  const { review } = view;
  const lost = review.map((told) => told.verdict?.lost ?? 0);
  const worst = review[lost.indexOf(Math.max(...lost))];
  put("worst", worst?.verdict?.lost ? `Your worst move was move ${worst.number}. ${worst.verdict.sentence}` : "");
  $("review").hidden = review.length === 0;
  reviewed = review.length;
  $("review").replaceChildren(...[...review, null].map((told, index) => {
    const grade = told?.verdict?.grade ?? "";
    const button = element("button", told ? `${told.number}${GLYPHS[grade] ?? ""}` : "End", `grade-${grade.replace(" ", "-")}`);
    button.ariaLabel = told ? `Move ${told.number}${grade && `: ${grade}`}` : "End of the game";
    button.addEventListener("click", () => turnTo(index));
    return button;
  }));
}

// Shows a decision of the game that has ended, with the picture before it; beyond the last, the end.
function turnTo(index) {
  const count = view.review.length + 1;
  reviewed = (index + count) % count;
  const told = view.review[reviewed];
  for (const [place, button] of [...$("review").children].entries()) {
    button.ariaCurrent = place === reviewed ? "step" : null;
    if (place === reviewed) button.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
  draw({ ...view, ...told });
  showStep(told ?? view.last);
  $("turned").replaceChildren();
  $("worst").hidden = Boolean(told) || $("worst").textContent === "";
  const rows = told?.verdict?.rows ?? [];
  $("spots").replaceChildren(...(told?.picture.spots ?? []).flatMap(([name, ...place]) => {
    const found = rows.find((each) => each.name === name && (each.played || each.free));
    if (!found) return [];
    const mark = element("span", "", "spot", "marked", ...(found.free ? [] : ["costly"]));
    mark.append(element("span", found.played ? "you" : "★", "picked"));
    return [laid(mark, place)];
  }));
}

async function showSeals() {
  const opened = view.left || (view.last && view.last.opened);
  put("sealed", view.opponents.length > 1 ? "Their moves are sealed before yours." : "The opponent's move is sealed before yours.");
  $("now").hidden = view.digest === "";
  $("digest").textContent = view.digest;
  $("opened").hidden = !opened;
  put("holds", "");
  if (!opened) return;
  put("opened-text", opened.text);
  put("opened-digest", opened.digest);
  put("command", [...view.earlier, opened.command].join("\n"));
  const sealed = shown[view.left ? view.number : view.number - 1];
  if (!sealed) return; // this page did not show it
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(opened.text));
  const holds = hex(new Uint8Array(digest)) === sealed;
  put("holds", holds ? "✓ The last seal was verified." : "✗ The last move does not match its seal!");
  $("holds").classList.toggle("costly", !holds);
}
