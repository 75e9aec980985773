// The lobby, in which the user chooses a game, and the controls between games.
"use strict";

const PAUSE = 700; // milliseconds between moves while watching
const NOTES = { equilibrium: "plays optimally", level: "learned; 5 is the strongest", uniform: "plays at random" };
let offers = []; // for each size of the game selected in the lobby: seats, rules and opponents
let starting = false; // whether a game is being prepared
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

// None of this compiles anything; a game of another package is imported, which can take a while.
async function showSizes() {
  const kind = $("kind").selectedIndex;
  offers = [];
  showOffer();
  try {
    const sizes = await during(`Loading ${view.lobby[kind]}.`, ask(`offers?game=${kind}`));
    if (kind !== $("kind").selectedIndex) return;
    put("message", "");
    offers = sizes;
    fill("size", offers.map((offer) => offer.size), Math.max(0, offers.findLastIndex((offer) => offer.first)));
  } catch (error) {
    if (kind !== $("kind").selectedIndex) return;
    put("message", error.message);
  }
  showOffer();
}

function showOffer() {
  const size = $("size").selectedIndex;
  const offer = offers[size] || { seats: 1, rules: "", opponents: [] };
  fill("seat", Array.from({ length: offer.seats }, (_, seat) => `seat ${seat}`), 0);
  $("seated").hidden = offer.seats < 2;
  fill("opponent", offer.opponents.map(withNote), 0);
  putLines("offered-rules", offer.rules.split("\n"));
  showReady();
}

// The button is not `disabled` while the user waits, because that would take the focus from it.
function showReady() {
  $("kind").disabled = $("first-series").disabled = starting;
  for (const id of ["size", "seat", "opponent"]) $(id).disabled = starting || offers.length === 0;
  $("choose").ariaDisabled = String(starting || offers.length === 0);
  $("lobby").ariaBusy = String(starting);
}

// Says what the user is waiting for until `work` is done, unless that takes no time. Only the latest wait is shown.
async function during(text, work) {
  const mine = ++waits;
  const start = Date.now();
  const timer = setInterval(() => {
    const seconds = Math.round((Date.now() - start) / 1000);
    if (mine !== waits) return;
    if ($("setting").textContent !== text) $("setting").textContent = text;
    $("elapsed").textContent = seconds < 2 ? "" : `${seconds} s`;
  }, 250);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    if (mine === waits) $("setting").textContent = $("elapsed").textContent = "";
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
  if ($("choose").ariaDisabled === "true") return;
  starting = true;
  put("message", "");
  showReady();
  const preparing = `Preparing ${view.lobby[kind]}: compiling, once, and computing the equilibrium. This can take a minute; reload the page to choose again.`;
  const begun = await during(preparing, act("choose", { kind, size, seat, opponent, series }));
  starting = false;
  showReady();
  if (begun) return;
  const options = Array.from($("opponent").options);
  options[opponent].disabled = true; // it cannot play at this size
  $("opponent").selectedIndex = options.findIndex((option) => !option.disabled);
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
