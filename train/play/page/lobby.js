// The lobby, in which the user chooses a game, and the controls between games.
"use strict";

const PAUSE = 700; // milliseconds between moves while watching
const NOTES = { equilibrium: "plays optimally", level: "learned; 5 is the strongest", uniform: "plays at random" };
let offers = []; // sizes, seats and rules of the game selected in the lobby
let opponents = []; // for each size, those of the game selected in the lobby
let waits = 0;
let watching = null;

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

// The sizes and rules are known immediately; finding the opponents compiles code the first time.
async function showSizes() {
  const kind = $("kind").selectedIndex;
  offers = opponents = [];
  showOffer();
  try {
    const sizes = await ask(`offers?game=${kind}`);
    if (kind !== $("kind").selectedIndex) return;
    put("message", "");
    offers = sizes;
    fill("size", offers.map((offer) => offer.size), Math.max(0, offers.findLastIndex((offer) => offer.first)));
    showOffer();
    const preparing = `Preparing ${view.lobby[kind]}: compiling, once. This can take a minute.`;
    const found = await during(preparing, ask(`opponents?game=${kind}`));
    if (kind !== $("kind").selectedIndex) return;
    opponents = found;
  } catch (error) {
    if (kind !== $("kind").selectedIndex) return;
    put("message", error.message);
  }
  showOffer();
}

function showOffer() {
  const size = $("size").selectedIndex;
  const offer = offers[size] || { seats: 1, rules: "" };
  const found = opponents[size] || [];
  fill("seat", Array.from({ length: offer.seats }, (_, seat) => `seat ${seat}`), 0);
  $("seated").hidden = offer.seats < 2;
  fill("opponent", found.map(withNote), 0);
  putLines("offered-rules", offer.rules.split("\n"));
  $("size").disabled = $("seat").disabled = offers.length === 0;
  $("opponent").disabled = $("choose").disabled = found.length === 0;
}

// Says what the user is waiting for until `work` is done, unless that takes no time. Only the latest wait is shown.
async function during(text, work) {
  const mine = ++waits;
  const start = Date.now();
  const timer = setInterval(() => {
    const seconds = Math.round((Date.now() - start) / 1000);
    if (mine !== waits) return;
    if ($("setting").textContent !== text) put("setting", text);
    put("elapsed", seconds < 2 ? "" : `${seconds} s`);
  }, 250);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    if (mine === waits) ["setting", "elapsed"].forEach((id) => put(id, ""));
  }
}

function withNote(name) {
  const note = NOTES[name.split(":")[0]];
  return note ? `${name} (${note})` : name;
}

$("kind").addEventListener("change", showSizes);
$("size").addEventListener("change", showOffer);
$("lobby").addEventListener("submit", async (event) => {
  event.preventDefault();
  const [kind, size, seat, opponent, series] = ["kind", "size", "seat", "opponent", "first-series"].map((id) => $(id).selectedIndex);
  $("choose").disabled = true;
  const preparing = "Preparing the game. Computing the equilibrium can take 20 seconds.";
  await during(preparing, act("choose", { kind, size, seat, opponent, series }));
  $("choose").disabled = opponents.length === 0;
});

// -- between games ------------------------------------------------------------------------

// Continues without the human player, who is out; a second click on the same button stops.
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
