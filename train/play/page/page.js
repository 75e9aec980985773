// Shows what the server says of the game, and sends moves. Each request names the game and the turn that this page
// shows; if the game has gone on meanwhile, the server refuses it, and the page shows where the game stands.
"use strict";

const $ = (id) => document.getElementById(id);
const SMALLEST = 24; // pixels: cards that are shown smaller than this are hard to hit, so there are buttons instead
const MOST_BUTTONS = 64;
const PAUSE = 700; // milliseconds between the moves that are watched
let view = null; // what the server said last
let choices = null; // what can be picked: the server's list, or what a search has found
let picked = []; // the items that were picked of this move
let offers = []; // sizes and opponents of the game selected in the lobby
let shown = ""; // the digest that was shown before the last move
let typed = ""; // what has been typed to select a move
let typedAt = 0;
let busy = false;
let watching = null;

function element(tag, text, ...classes) {
  const made = document.createElement(tag);
  made.textContent = text;
  made.classList.add(...classes);
  return made;
}

function put(id, text) {
  $(id).textContent = text;
  $(id).hidden = text === "";
}

function putLines(id, lines) {
  $(id).replaceChildren(...lines.map((line) => element("p", line)));
}

function fill(id, names, selected) {
  $(id).replaceChildren(...names.map((name) => element("option", name)));
  $(id).selectedIndex = selected;
}

async function ask(path, body) {
  const options = body && {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  };
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Error("The server does not respond. If it has stopped, start it again; this game is lost.");
  }
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) {
    throw Object.assign(new Error(said.error || `The server returned status ${answer.status}.`), { view: said.view });
  }
  return said;
}

async function act(path, more) {
  if (busy || view === null) return false;
  busy = true;
  shown = view.digest;
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
    if (view === null || now.game !== view.game || now.turn !== view.turn) show(now, view === null);
  } catch (error) {
    put("message", error.message);
  }
}

// -- showing ------------------------------------------------------------------------------

function show(now, focus) {
  const before = view;
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
  put("players", `You play against ${now.opponents.join(", ")}. ${now.ending ? "" : now.series.standing}`);
  putLines("how", now.rules.split("\n"));
  $("scene").src = `scene.svg?game=${now.game}&turn=${now.turn}`;
  $("scene").alt = now.position;
  $("filter").value = "";
  choices = now.choices;
  picked = [];
  showResult();
  showEnd();
  showChoices();
  showMix();
  showReview();
  showSeals();
  $("give-up").hidden = Boolean(now.ending);
  if (!focus) return;
  // No move is selected at first: a second press of Enter must not play one.
  if (now.out) $("watch").focus();
  else (now.ending ? $("new") : $("choosing")).focus();
}

function inWords(moves) {
  return moves.map(([who, what]) => `${who}: ${what}`).join(" · ");
}

function showResult() {
  const last = view.last;
  const steps = last ? [last.moves, ...last.later.slice(-3)].filter((moves) => moves.length) : [];
  $("moves").replaceChildren(...steps.map((moves) => element("span", inWords(moves))));
  const verdict = last && last.verdict;
  put("sentence", verdict ? verdict.sentence : "");
  $("sentence").classList.toggle("costly", Boolean(verdict) && Number(verdict.cost) > 0);
  $("result").hidden = steps.length === 0;
  $("total").hidden = !view.judged;
  $("total").textContent = view.total;
  put("given-away", view.given_away);
  $("costs").hidden = view.given_away === "";
}

function showEnd() {
  $("end").hidden = !view.ending;
  put("ending", view.ending);
  const rows = view.account.map(([label, points]) => {
    const name = element("th", label);
    name.scope = "row";
    const made = element("tr", "");
    made.append(name, element("td", points, "n"));
    return made;
  });
  $("account").hidden = rows.length === 0;
  $("account").querySelector("tbody").replaceChildren(...rows);
  putLines("told", [view.series.standing, ...view.series.said].filter((line) => line));
  $("watch").hidden = $("skip").hidden = !view.out;
  fill("series", lengthNames(), view.lengths.indexOf(view.series.length));
}

function lengthNames() {
  return view.lengths.map((length) => (length ? `best of ${length}` : "no end"));
}

function rowOf(row) {
  const made = element("tr", "");
  const name = element("th", row.name);
  name.scope = "row";
  if (row.played) {
    made.classList.add("played");
    name.append(element("small", " you"));
  }
  return [made, name];
}

function showMix() {
  const verdict = view.last && view.last.verdict;
  $("mix").hidden = !verdict;
  const all = verdict ? verdict.rows : [];
  const most = Math.max(...all.map((row) => row.share));
  const rows = all.map((row) => {
    const [made, name] = rowOf(row);
    const bar = element("span", "", "bar");
    bar.style.width = `${(100 * row.share) / most}%`;
    const track = element("td", "", "track");
    track.append(bar);
    made.append(name, track, element("td", row.probability, "n"));
    made.append(element("td", row.cost, "n", row.free ? "free" : "costly"));
    return made;
  });
  $("mix").querySelector("tbody").replaceChildren(...rows);
}

function showReview() {
  $("review").hidden = !view.ending || view.review.length === 0;
  const rows = view.review.map((each) => {
    const made = element("tr", "");
    made.append(element("td", each.number), element("td", each.played), element("td", each.cost, "n"));
    made.append(element("td", each.free, "after"));
    return made;
  });
  $("review").querySelector("tbody").replaceChildren(...rows);
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
  put("command", opened.command);
  if (!shown) return; // this page was loaded after the move
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(opened.text));
  const hex = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const holds = hex === shown;
  put("holds", holds ? "✓ Last one verified." : "✗ The last one does not match what was sealed!");
  $("holds").classList.toggle("costly", !holds);
}

// -- picking a move -----------------------------------------------------------------------

// The first step of a choice that is not complete with what was picked, and its items that are left; null if what was
// picked does not belong to this choice.
function rest([, steps]) {
  let at = 0;
  for (const [step, items] of steps) {
    const left = [...items];
    for (; left.length && at < picked.length; at += 1) {
      const place = left.indexOf(picked[at]);
      if (place < 0) return null;
      left.splice(place, 1);
    }
    if (left.length) return { step, left };
  }
  return at < picked.length ? null : { step: null, left: [] };
}

function pick(item) {
  if (busy) return;
  picked.push(item);
  const complete = choices.actions.find((choice) => rest(choice)?.step === null);
  if (complete) {
    act("play", { action: complete[0] });
    return;
  }
  showChoices();
  const again = buttons().find((button) => button.dataset.item === String(item));
  (again || $("choosing")).focus();
}

function undo() {
  picked.pop();
  showChoices();
  $("choosing").focus();
}

function choiceButton(item, ...classes) {
  const button = element("button", "", "choice", ...classes);
  button.type = "button";
  button.dataset.item = item;
  button.dataset.name = button.ariaLabel = choices.items[item];
  button.addEventListener("click", () => pick(item));
  return button;
}

function showChoices() {
  $("choosing").hidden = Boolean(view.ending);
  put("number", `${view.number}`);
  const rests = choices.actions.map(rest).filter((each) => each !== null);
  const items = [...new Set(rests.flatMap((each) => each.left))].sort((one, other) => one - other);
  const pictured = showSpots(items);
  const others = items.filter((item) => !pictured.has(item));
  const most = others.length > MOST_BUTTONS ? 12 : others.length;
  const more = others.length - most + choices.more;
  $("filter").hidden = !more && $("filter").value === "";
  const names = others.slice(0, most).map((item) => choices.items[item]);
  $("choices").classList.toggle("cards", names.every((name) => name.length <= 3));
  $("choices").classList.toggle("many", names.length > 20);
  $("choices").replaceChildren(...others.slice(0, most).map((item) => {
    const button = choiceButton(item);
    button.textContent = choices.items[item];
    return button;
  }));
  put("more", more ? `and ${more} more` : "");
  $("undo").hidden = picked.length === 0;
  put("hint", hint(rests, pictured.size > 0));
}

function hint(rests, inPicture) {
  const step = rests.length ? choices.steps[rests[0].step] : "";
  if (!step) return inPicture ? "Click a card of your hand, or type it and press Enter." : "";
  const left = rests[0].left.length;
  const so = picked.length ? ` Picked so far: ${picked.map((item) => choices.items[item]).join(", ")}.` : "";
  return `Pick ${left > 1 ? `${left} ${step}` : `your ${step.replace(/s$/, "")}`}.${so}`;
}

// Makes buttons of what the picture shows of these items, unless it is shown too small; returns which they are.
function showSpots(items) {
  const width = $("scene").clientWidth || 600;
  const spots = view.spots
    .map(([name, ...place]) => [choices.items.indexOf(name), place])
    .filter(([item, place]) => item >= 0 && (place[2] * width) / 100 >= SMALLEST);
  $("spots").replaceChildren(...spots.map(([item, [left, top, wide, tall]]) => {
    const count = picked.filter((each) => each === item).length;
    const spot = items.includes(item) ? choiceButton(item, "spot") : element("span", "", "spot");
    Object.assign(spot.style, { left: `${left}%`, top: `${top}%`, width: `${wide}%`, height: `${tall}%` });
    if (count) spot.append(element("span", count > 1 ? `✓${count}` : "✓", "picked"));
    return spot;
  }));
  return new Set(spots.map(([item]) => item));
}

// -- the keyboard -------------------------------------------------------------------------

function buttons() {
  return [...document.querySelectorAll(".choice")];
}

function select(step) {
  const all = buttons();
  const at = all.indexOf(document.activeElement);
  const next = at < 0 ? 0 : (at + step + all.length) % all.length;
  all[next].focus();
}

function selectTyped(key) {
  typed = Date.now() - typedAt < 900 ? typed + key : key;
  typedAt = Date.now();
  const all = buttons();
  const names = all.map((button) => button.dataset.name.toLowerCase());
  const find = (text) => {
    const exact = names.indexOf(text);
    return exact >= 0 ? exact : names.findIndex((name) => name.startsWith(text));
  };
  let place = find(typed);
  if (place < 0) {
    typed = key;
    place = find(key);
  }
  if (place >= 0) all[place].focus();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || $("sure").open) return;
  if (event.repeat && event.key === "Enter") event.preventDefault(); // a key held down plays once
  if (!view || view.lobby || view.ending || (event.target === $("filter") && event.key !== "ArrowDown")) return;
  const steps = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
  if (event.key in steps && buttons().length) {
    select(steps[event.key]);
  } else if (event.key === "Backspace" && picked.length) {
    undo();
  } else if (/^[\p{L}\p{N}]$/u.test(event.key)) {
    selectTyped(event.key.toLowerCase());
  } else {
    return;
  }
  event.preventDefault();
});

$("filter").addEventListener("input", async () => {
  const text = $("filter").value;
  const found = await ask(`choices?text=${encodeURIComponent(text)}`).catch(() => null);
  if (!found || found.turn !== view.turn || text !== $("filter").value) return;
  choices = text ? found : view.choices;
  picked = [];
  showChoices();
});

// -- the lobby ----------------------------------------------------------------------------

function showLobby() {
  put("title", "Choose a game");
  put("parameters", "");
  put("players", "Moves are compared with the equilibrium wherever it can be computed.");
  fill("kind", view.lobby, 0);
  fill("first-series", lengthNames(), 0);
  showSizes();
  $("kind").focus();
}

async function showSizes() {
  const kind = $("kind").selectedIndex;
  $("choose").disabled = true; // until its sizes are known
  try {
    const found = await ask(`offers?game=${kind}`);
    if (kind !== $("kind").selectedIndex) return;
    offers = found;
    put("message", "");
  } catch (error) {
    offers = [];
    put("message", error.message);
  }
  fill("size", offers.map((offer) => offer.size), 0);
  $("choose").disabled = offers.length === 0;
  showOpponents();
}

function showOpponents() {
  const offer = offers[$("size").selectedIndex] || { opponents: [], rules: "" };
  fill("opponent", offer.opponents, 0);
  putLines("offered-rules", offer.rules.split("\n"));
}

$("kind").addEventListener("change", showSizes);
$("size").addEventListener("change", showOpponents);
$("lobby").addEventListener("submit", async (event) => {
  event.preventDefault();
  const [kind, size, opponent, series] = ["kind", "size", "opponent", "first-series"].map((id) => $(id).selectedIndex);
  $("setting").hidden = false;
  $("choose").disabled = true;
  await act("choose", { kind, size, opponent, series });
  $("setting").hidden = true;
  $("choose").disabled = offers.length === 0;
});

// -- between games ------------------------------------------------------------------------

// Plays on without the person, who is out; a second click on the same button stops it.
async function watch(pause) {
  const runs = watching !== null;
  watching = watching === pause ? null : pause;
  if (runs) return;
  while (watching !== null && view.out && (await act("watch"))) {
    await new Promise((done) => setTimeout(done, watching));
  }
  watching = null;
}

$("new").addEventListener("click", () => {
  const place = $("series").selectedIndex;
  const other = view.lengths[place] !== view.series.length || view.series.decided;
  act("new", { series: other ? place : null });
});
$("leave").addEventListener("click", () => act("leave"));
$("watch").addEventListener("click", () => watch(PAUSE));
$("skip").addEventListener("click", () => watch(0));
$("undo").addEventListener("click", undo);
$("give-up").addEventListener("click", () => $("sure").showModal());
$("go-on").addEventListener("click", () => $("sure").close());
$("really").addEventListener("click", () => {
  $("sure").close();
  act("give-up");
});
document.addEventListener("visibilitychange", () => document.hidden || reload());
addEventListener("resize", () => view && !view.lobby && showChoices());
$("rules").open = matchMedia("(min-width: 60rem)").matches;
reload();
