// Picking a move by clicks on the picture, by buttons or by keys. A move can consist of several picks.
"use strict";

const SMALLEST = 24; // pixels: cards that are smaller than this on the screen are hard to hit, so buttons replace them
const MOST_BUTTONS = 64;
let choices = null; // what can be picked: the server's list, or the results of a search
const KEYS = matchMedia("(any-hover: hover)").matches ? ", or type it and press Enter" : ""; // not on a phone
let picked = []; // the items of this move that were picked
let typed = ""; // what has been typed to select a move
let typedAt = 0;

// The first incomplete step of a choice after these picks, the items that it still needs, and whether some were picked;
// null if the picks do not belong to this choice.
function rest([, steps]) {
  let at = 0;
  for (const [step, items] of steps) {
    const left = [...items];
    for (; left.length && at < picked.length; at += 1) {
      const place = left.indexOf(picked[at]);
      if (place < 0) return null;
      left.splice(place, 1);
    }
    if (left.length) return { step, left, begun: left.length < items.length };
  }
  return at < picked.length ? null : { step: null, left: [] };
}

async function pick(item) {
  if (busy) return;
  picked.push(item);
  const complete = choices.actions.find((choice) => rest(choice)?.step === null);
  if (complete) {
    if (await act("play", { action: complete[0] })) return;
    picked.pop(); // the host did not take the move
    if (view.lobby) return;
  }
  showChoices();
  const again = buttons().find((button) => button.dataset.item === String(item));
  if (again) again.focus();
  else turnToMove();
}

function forced() {
  return !view.ending && view.choices.actions.length === 1 && !view.choices.more;
}

function undo() {
  picked.pop();
  showChoices();
  turnToMove();
}

// Focuses what holds the choices, so that Tab goes on to the first of them.
function turnToMove() {
  $(forced() ? "only" : $("spots").querySelector(".choice") ? "spots" : "choosing").focus({ preventScroll: true });
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
  $("choices").classList.toggle("cards", names.every((name) => name.length <= 4));
  $("choices").classList.toggle("many", names.length > 20);
  $("choices").replaceChildren(...others.slice(0, most).map((item) => {
    const button = choiceButton(item);
    button.textContent = choices.items[item];
    return button;
  }));
  put("more", more ? `and ${more} more` : "");
  $("undo").hidden = picked.length === 0;
  put("only", forced() ? `Play your only move: ${items.map((item) => choices.items[item]).join(", ")}` : "");
  put("hint", hint(rests, pictured.size > 0));
}

function hint(rests, inPicture) {
  if (forced()) return "Only one move is possible.";
  const step = rests.length ? choices.steps[rests[0].step] : "";
  if (!step) return rests.length ? `Click ${inPicture ? view.picture.clickable : "your move"}${KEYS}.` : "";
  const { left, begun } = rests[0];
  const number = left.length > 1 || begun ? `${left.length}${begun ? " more" : ""}` : "your";
  const so = picked.length ? ` Picked so far: ${picked.map((item) => choices.items[item]).join(", ")}.` : "";
  return `Pick ${number} ${left.length > 1 ? step : step.replace(/s$/, "")}.${so}`;
}

// Puts buttons on these items in the picture, unless they are too small on the screen; returns the items with a button.
function showSpots(items) {
  const width = $("scene").clientWidth || 600;
  const spots = view.picture.spots
    .map(([name, ...place]) => [choices.items.indexOf(name), place])
    .filter(([item, place]) => item >= 0 && (place[2] * width) / 100 >= SMALLEST);
  $("spots").ariaLabel = view.ending ? null : `Your move ${view.number}`;
  $("spots").replaceChildren(...spots.map(([item, place]) => {
    const count = picked.filter((each) => each === item).length;
    const spot = items.includes(item) ? choiceButton(item, "spot") : element("span", "", "spot");
    if (count) spot.append(element("span", count > 1 ? `✓${count}` : "✓", "picked"));
    return laid(spot, place);
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
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.repeat && event.key === "Enter") event.preventDefault(); // a key held down plays once
  if (!view || view.lobby || (event.target === $("filter") && event.key !== "ArrowDown")) return;
  const steps = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
  if (view.ending) {
    if (!["ArrowLeft", "ArrowRight"].includes(event.key) || event.target.matches("select") || !view.review.length) return;
    turnTo(reviewed + steps[event.key]);
  } else if (event.key in steps && buttons().length) {
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

$("only").addEventListener("click", () => act("play", { action: view.choices.actions[0][0] }));
$("filter").addEventListener("input", async () => {
  const text = $("filter").value;
  const found = await ask(`choices?text=${encodeURIComponent(text)}`).catch(() => null);
  if (!found || found.turn !== view.turn || text !== $("filter").value) return;
  choices = text ? found : view.choices;
  picked = [];
  showChoices();
});
