// The lobby, in which the user chooses a game, and the controls between games.
"use strict";

const PAUSE = 700; // milliseconds between moves while watching
const WAITING = ["size", "opponent", "choose"];
let offers = []; // sizes and opponents of the game selected in the lobby
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

async function showSizes() {
  const kind = $("kind").selectedIndex;
  for (const id of WAITING) $(id).disabled = true; // until its sizes are known
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
  for (const id of WAITING) $(id).disabled = offers.length === 0;
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
