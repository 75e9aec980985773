// Shows what the server says of the game, and sends moves. Each request names the game and the turn that this page
// shows; if the game has gone on meanwhile, the server refuses it, and the page shows where the game stands.
"use strict";

const $ = (id) => document.getElementById(id);
let view = null; // what the server said last
let shown = ""; // the digest that was shown before the last move
let typed = ""; // what has been typed to select a move
let typedAt = 0;
let busy = false;

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
  if (busy || view === null) return;
  busy = true;
  shown = view.digest;
  try {
    show(await ask(path, { game: view.game, turn: view.turn, ...more }), true);
    put("message", "");
  } catch (error) {
    if (error.view) show(error.view, true);
    put("message", error.message);
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
  view = now;
  document.title = `${now.title} ${now.parameters}`.trim();
  put("title", now.title);
  put("parameters", now.parameters);
  put("players", `You are ${now.you}, against ${now.opponents.join(", ")}.`);
  $("scene").src = `scene.svg?game=${now.game}&turn=${now.turn}`;
  $("scene").alt = now.position;
  showResult();
  showChoices(now.choices, focus);
  showMix();
  showReview();
  showSeals();
  $("new").hidden = $("record").hidden = !now.ending;
  $("give-up").hidden = Boolean(now.ending);
  if (focus && now.ending) $("new").focus();
}

function inWords(moves) {
  return moves.map(([who, what]) => `${who}: ${what}`).join(" · ");
}

function showResult() {
  const last = view.last;
  const steps = last ? [last.moves, ...last.later].filter((moves) => moves.length) : [];
  $("moves").replaceChildren(...steps.map((moves) => element("span", inWords(moves))));
  $("moves").hidden = steps.length === 0;
  const verdict = last && last.verdict;
  put("sentence", verdict ? verdict.sentence : "");
  $("sentence").classList.toggle("costly", Boolean(verdict) && Number(verdict.cost) > 0);
  put("ending", view.ending);
  $("result").hidden = steps.length === 0 && !view.ending;
  $("total").hidden = !view.judged;
  $("total").textContent = view.total;
  put("given-away", view.given_away);
}

function showChoices(choices, focus) {
  $("choosing").hidden = Boolean(view.ending);
  put("number", `${view.number}`);
  const many = choices.all > choices.shown.length || $("filter").value !== "";
  if (choices === view.choices) $("filter").value = "";
  $("filter").hidden = !many;
  const short = choices.shown.every((choice) => choice.name.length <= 3);
  $("choices").classList.toggle("cards", short);
  const buttons = choices.shown.map((choice) => {
    const button = element("button", choice.name, "choice");
    button.addEventListener("click", () => act("play", { action: choice.action }));
    return button;
  });
  $("choices").replaceChildren(...buttons);
  put("more", choices.more ? `and ${choices.more} more` : "");
  // No move is selected at first: a second press of Enter must not play one.
  if (focus && !view.ending) $("choosing").focus();
}

function showMix() {
  const verdict = view.last && view.last.verdict;
  $("mix").hidden = !verdict;
  const all = verdict ? verdict.rows : [];
  const most = Math.max(...all.map((row) => row.share));
  const rows = all.map((row) => {
    const made = element("tr", "");
    const name = element("th", row.name);
    name.scope = "row";
    if (row.played) {
      made.classList.add("played");
      name.append(element("small", " you"));
    }
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
  put("digest", view.digest);
  $("sealed").hidden = view.digest === "";
  const opened = view.left || (view.last && view.last.opened);
  $("opened").hidden = !opened;
  if (!opened) return;
  put("opened-text", opened.text);
  put("opened-digest", opened.digest);
  put("command", opened.command);
  put("holds", "");
  if (!shown) return; // this page was loaded after the move
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(opened.text));
  const hex = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const holds = hex === shown;
  put("holds", holds ? "✓ Verified: this matches the SHA-256 shown before your move." : "✗ This does not match the sealed SHA-256!");
  $("holds").classList.toggle("costly", !holds);
}

// -- the keyboard -------------------------------------------------------------------------

function select(step) {
  const buttons = [...$("choices").children];
  const at = buttons.indexOf(document.activeElement);
  const next = at < 0 ? 0 : (at + step + buttons.length) % buttons.length;
  buttons[next].focus();
}

function selectTyped(key) {
  typed = Date.now() - typedAt < 900 ? typed + key : key;
  typedAt = Date.now();
  const buttons = [...$("choices").children];
  const names = buttons.map((button) => button.textContent.toLowerCase());
  const find = (text) => {
    const exact = names.indexOf(text);
    return exact >= 0 ? exact : names.findIndex((name) => name.startsWith(text));
  };
  let place = find(typed);
  if (place < 0) {
    typed = key;
    place = find(key);
  }
  if (place >= 0) buttons[place].focus();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || $("sure").open) return;
  if (event.repeat && event.key === "Enter") event.preventDefault(); // a key held down plays once
  if (!view || view.ending || (event.target === $("filter") && event.key !== "ArrowDown")) return;
  const steps = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
  if (event.key in steps && $("choices").children.length) {
    select(steps[event.key]);
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
  if (found && found.turn === view.turn && text === $("filter").value) showChoices(found, false);
});

$("new").addEventListener("click", () => act("new"));
$("give-up").addEventListener("click", () => $("sure").showModal());
$("go-on").addEventListener("click", () => $("sure").close());
$("really").addEventListener("click", () => {
  $("sure").close();
  act("give-up");
});
document.addEventListener("visibilitychange", () => document.hidden || reload());
reload();
