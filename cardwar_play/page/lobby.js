// The lobby, in which the user chooses a game, and the controls between games.
"use strict";

const POLL = 500; // milliseconds between requests for the state of a preparation
let offers = []; // for each size of the game selected in the lobby: seats, rules, opponents and how these play
let waits = 0;
let wished = ""; // the opponent that the user selected; it stays selected at other sizes that offer it

// -- the lobby ----------------------------------------------------------------------------

// While a game is being prepared, the choices are shown but cannot be changed.
function showLobby() {
  put("title", "Choose a game");
  put("parameters", "");
  put("players", "Moves are compared with the equilibrium wherever it can be computed.");
  const [kind, , , , series] = view.chosen || [0, 0, 0, 0, 0];
  if (!$("kind").elements.length) $("kind").replaceChildren(...view.lobby.map(tile));
  $("kind").elements[kind].checked = true;
  fill("first-series", lengthNames(), series);
  showSizes(view.chosen);
  (view.preparing ? $("choose") : $("kind").elements[kind]).focus();
  if (!view.preparing) return;
  const [what, seconds, steps] = view.preparing;
  during(`Preparing ${what}: ${steps}. This can take a minute. Choosing another game stops it.`, untilShown(), seconds);
}

// A game to choose; those of other packages have no summary and no picture, because that would import them.
function tile([name, summary], place) {
  const [made, radio, cover] = ["label", "input", "img"].map((tag) => document.createElement(tag));
  Object.assign(radio, { type: "radio", name: "kind" });
  if (summary) Object.assign(cover, { src: `cover.svg?game=${place}`, alt: "" });
  made.append(radio, cover, element("b", name), element("small", summary, "quiet"));
  return made;
}

function chosenKind() {
  return [...$("kind").elements].findIndex((radio) => radio.checked);
}

// Waits until this page shows another game or the lobby again; every tab learns of that by itself.
async function untilShown() {
  for (const mine = view.game; view.game === mine;) {
    await new Promise((done) => setTimeout(done, POLL));
    await reload();
  }
}

// None of this compiles anything; a game of another package is imported, which can take a while. `chosen` is the last
// choice, in the order of the fields; a new one has the largest size that starts at once.
async function showSizes(chosen) {
  const kind = chosenKind();
  offers = [];
  showOffer();
  let said = "";
  try {
    const sizes = await during(`Loading ${view.lobby[kind][0]}.`, ask(`offers?game=${kind}`));
    if (!view.lobby || kind !== chosenKind()) return;
    offers = sizes;
    const largest = Math.max(0, offers.findLastIndex((offer) => offer.first));
    fill("size", offers.map((offer) => offer.size), chosen ? chosen[1] : largest);
    if (chosen) said = view.refusal;
  } catch (error) {
    if (kind !== chosenKind()) return;
    said = error.message;
  }
  if (said) put("message", said);
  showOffer(chosen);
  if (chosen && said) $("opponent").focus();
}

function showOffer(chosen) {
  const offer = offers[$("size").selectedIndex] || { seats: [], rules: "", opponents: [], plays: [] };
  const [, , seat, opponent] = chosen || [0, 0, 0, Math.max(0, offer.opponents.indexOf(wished))];
  fill("seat", offer.seats, seat);
  $("seated").hidden = offer.seats.length < 2;
  fill("opponent", offer.opponents, opponent);
  if (chosen && view.refusal && offers.length) $("opponent").options[opponent].disabled = true; // cannot play this size
  putLines("offered-rules", offer.rules.split("\n"));
  showOpponent();
  const waiting = Boolean(view.preparing);
  for (const id of ["kind", "first-series"]) $(id).disabled = waiting;
  for (const id of ["size", "seat", "opponent"]) $(id).disabled = waiting || offers.length === 0;
  $("lobby").ariaBusy = String(waiting);
  $("stop").hidden = !waiting;
}

function showOpponent() {
  const offer = offers[$("size").selectedIndex];
  const [option] = $("opponent").selectedOptions;
  const refused = Boolean(option && option.disabled);
  put("plays", refused ? "Not available at this size." : offer ? offer.plays[$("opponent").selectedIndex] : "");
  // The button is not `disabled` while the user waits, because that would take the focus from it.
  $("choose").ariaDisabled = String(refused || Boolean(view.preparing) || offers.length === 0);
}

// Says what the user is waiting for until `work` is done, unless that takes no time. Only the latest wait is shown.
async function during(text, work, before = 0) {
  const mine = ++waits;
  const start = Date.now() - 1000 * before;
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

$("kind").addEventListener("change", () => {
  put("message", "");
  wished = "";
  showSizes();
});
$("size").addEventListener("change", () => showOffer());
$("opponent").addEventListener("change", () => {
  wished = $("opponent").value;
  showOpponent();
});
$("stop").addEventListener("click", () => act("leave"));
$("lobby").addEventListener("submit", (event) => {
  event.preventDefault();
  if ($("choose").ariaDisabled === "true") return;
  const [size, seat, opponent, series] = ["size", "seat", "opponent", "first-series"].map((id) => $(id).selectedIndex);
  act("choose", { kind: chosenKind(), size, seat, opponent, series });
});

// -- between games ------------------------------------------------------------------------

$("new").addEventListener("click", () => act("new", { series: newSeries() ? $("series").selectedIndex : null }));
$("series").addEventListener("change", showNext);
$("leave").addEventListener("click", () => act("leave"));
$("watch").addEventListener("click", () => act("watch"));
$("undo").addEventListener("click", undo);
$("give-up").addEventListener("click", () => confirm("Give up? This game ends and does not count.") && act("give-up"));
document.addEventListener("visibilitychange", () => document.hidden || reload());
addEventListener("resize", () => view && !view.lobby && !view.ending && !busy && showChoices());
$("rules").open = $("explained").open = matchMedia("(min-width: 60rem)").matches;
reload();
