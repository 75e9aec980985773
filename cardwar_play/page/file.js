// The host of a page in one file. It plays the game that is listed in the page, so it needs no rules:
//
// data.starts         the initial outcomes
// data.places[place]  [state, text, outcomes]: a state with payoffs so far, its description, and a list of outcomes for
//                     each pair of moves, the opponent's varying fastest
// an outcome          [probability, place, points, picture]; `points` are paid to the human player
// data.states[state]  actions, names, mixes (probabilities in the equilibrium) and costs of both players; `worth` to the
//                     end of the game given all information, `expected` given what the human player sees, null if an
//                     equilibrium opponent never leads there
//
// In lists of two, the human player comes first and the opponent second. A *move* is an index in the actions of a state,
// or -1 for a player who waits.
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const XML = "http://www.w3.org/XML/1998/namespace";
const MATCHES = 12; // maximum number of results of a search
let data = null;
let game = null; // the game in progress
let series = { length: null, accounts: [] }; // `accounts`: of its finished games

async function ask(path, body) {
  if (!data) {
    data = await unpacked();
    hideServerParts();
    await deal();
  }
  const [name, query] = path.split("?");
  if (name === "choices") return { turn: turn(), ...matching(new URLSearchParams(query).get("text")) };
  if (name === "play") {
    step(game.state.actions[0].indexOf(body.action), game.reply);
    await advance();
  } else if (name === "new") {
    if (body.series !== null) series = { length: data.view.lengths[body.series], accounts: [] };
    await deal();
  } else if (name === "give-up") {
    Object.assign(game, { ending: "given up", left: game.seal, seal: null });
  }
  return currentView();
}

function hideServerParts() {
  const picture = document.createElementNS(SVG, "svg");
  picture.id = "scene";
  picture.setAttribute("role", "img");
  $("scene").replaceWith(picture);
  $("leave").hidden = $("record").hidden = true;
  $("stores").textContent = "This file contains the whole game. It contacts no server and stores nothing.";
  if (crypto.subtle) return;
  $("seals").hidden = true;
  $("seals").after(element("p", "The opponent's move is drawn before yours. You cannot verify this, because this browser cannot seal it.", "quiet"));
}

function draw(now) {
  for (const [name, value] of Object.entries(now.picture.look)) $("scene").setAttribute(name, value);
  $("scene").setAttribute("aria-label", now.position);
  $("scene").replaceChildren(...now.picture.shapes.map((shape) => {
    const [tag, attributes, text] = data.shapes[shape];
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) {
      made.setAttributeNS(name.startsWith("xml:") ? XML : null, name, value);
    }
    made.textContent = text;
    return made;
  }));
}

// -- the game -----------------------------------------------------------------------------

// Draws an index from a list of probabilities, with 53 random bits.
function drawn(probabilities) {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  let left = ((high >>> 5) * 2 ** 26 + (low >>> 6)) / 2 ** 53;
  const index = probabilities.findIndex((each) => (left -= each) < 0);
  return index < 0 ? probabilities.indexOf(Math.max(...probabilities)) : index; // the sum may be just below 1
}

function drawnOutcome(outcomes) {
  return outcomes[drawn(outcomes.map(([probability]) => probability))];
}

// The expected payoff of an outcome, from here to the end of the game.
function worthOf([, place, points]) {
  return points + data.states[data.places[place][0]].worth;
}

async function deal() {
  const start = drawnOutcome(data.starts);
  const account = { result: start[2], value: data.value, chance: worthOf(start) - data.value, draws: 0, mine: 0, theirs: 0 };
  game = { id: crypto.getRandomValues(new Uint32Array(2)).join("-"), steps: [], ending: "", left: null, account };
  reach(start);
  await advance();
}

function reach([, place, , picture]) {
  Object.assign(game, { place, picture: data.pictures[picture], state: data.states[data.places[place][0]] });
}

// Plays up to the human player's next decision, at which the opponent's move is drawn and sealed.
async function advance() {
  game.seal = null;
  for (;;) {
    const { actions: [own, other], mixes } = game.state;
    if (!own.length && !other.length) break;
    const reply = other.length ? drawn(mixes[1]) : -1;
    if (own.length) {
      Object.assign(game, { reply, seal: await sealed(reply) });
      return;
    }
    step(-1, reply);
  }
  game.ending = "over";
  game.account.draws += game.account.mine - game.account.theirs;
  series.accounts.push(game.account);
}

function step(mine, theirs) {
  const { state, account } = game;
  const pair = Math.max(mine, 0) * Math.max(state.actions[1].length, 1) + Math.max(theirs, 0);
  const outcomes = data.places[game.place][2][pair];
  const outcome = drawnOutcome(outcomes);
  const expected = outcomes.reduce((sum, each) => sum + each[0] * worthOf(each), 0);
  const cost = mine < 0 ? 0 : state.costs[0][mine];
  account.result += outcome[2];
  account.chance += worthOf(outcome) - expected;
  account.draws += expected - state.worth;
  account.mine += cost;
  account.theirs += theirs < 0 ? 0 : state.costs[1][theirs];
  const played = [mine, theirs].flatMap((move, player) => (move < 0 ? [] : [[data.names[player], state.names[player][move]]]));
  if (data.seat) played.reverse();
  const verdict = mine < 0 ? null : data.verdicts[state.verdicts[mine]];
  game.steps.push({ place: game.place, picture: game.picture, played, verdict, seal: game.seal });
  reach(outcome);
}

// The SHA-256 of the opponent's move with random digits, in the format of trainer.py.
async function sealed(reply) {
  const nonce = hex(crypto.getRandomValues(new Uint8Array(16)));
  const { actions, names } = game.state;
  const plays = reply < 0 ? "nobody else plays" : `player_${1 - data.seat} plays ${names[1][reply]} (action ${actions[1][reply]})`;
  const text = `${nonce} move ${1 + decisions().length}: ${plays}`;
  if (!crypto.subtle) return { text, digest: "", command: "" };
  const digest = hex(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))));
  return { text, digest, command: `printf %s '${text.replaceAll("'", `'"'"'`)}' | sha256sum` };
}

// -- the data to show, as in view.py -------------------------------------------------------

function decisions() {
  return game.steps.filter((each) => each.verdict);
}

function turn() {
  return 1 + game.steps.length + (game.ending ? 1 : 0);
}

function currentView() {
  const { state, picture, ending, account, seal, left } = game;
  const made = decisions();
  const over = ending === "over";
  const result = over ? `${paid(account.result)}.` : ending && `The game was ${ending} and does not count.`;
  return {
    ...data.view,
    game: game.id,
    turn: turn(),
    number: 1 + made.length,
    position: data.texts[data.places[game.place][1]],
    picture,
    choices: ending ? { steps: [], items: [], actions: [], more: 0 } : data.choices[state.choices],
    digest: seal ? seal.digest : "",
    left,
    earlier: over && data.view.conceals ? made.slice(0, -1).map((each) => each.seal.command) : [],
    last: game.steps.length ? told(Math.max(game.steps.indexOf(made.at(-1)), 0)) : null,
    worth: ending ? "" : state.expected === null ? data.view.unmet : `If both play the equilibrium, you get ${inPoints(state.expected, "+")} from here.`,
    total: made.length ? decimals(account.mine, 0) : "",
    given_away: made.length ? `points given away in ${made.length} move${made.length === 1 ? "" : "s"}` : "",
    result,
    ending: over ? accountSentence(account) : result,
    account: over ? accountRows(account) : [],
    review: !ending ? [] : made.map((each, index) => ({
      ...told(game.steps.indexOf(each), game.steps.indexOf(made[index + 1])),
      number: index + 1,
      position: data.texts[data.places[each.place][1]],
      picture: each.picture,
    })),
    series: {
      length: series.length,
      ...standing(series.length, series.accounts),
      said: [],
    },
  };
}

// The human player's move, if it begins these steps, and the opponent's later moves; without an end, up to now.
function told(begin, end = -1) {
  const since = game.steps.slice(begin, end < 0 ? game.steps.length : end);
  const [moved, later] = since[0].verdict ? [since[0], since.slice(1)] : [null, since];
  const concealed = data.view.conceals && game.ending !== "over"; // earlier moves are still hidden
  const visible = ({ played }) => played.filter(([who]) => !concealed || who === data.names[0]);
  return {
    moves: moved ? visible(moved) : [],
    outcome: (game.steps[end] || game).picture.outcome,
    opened: concealed ? null : moved && moved.seal,
    verdict: moved && moved.verdict,
    later: later.map(visible),
  };
}

// The choices whose names contain these words in this order, as in view.py.
function matching(text) {
  const wanted = text.toLowerCase().split(/\s+/).filter((word) => word);
  const fits = (word, want) => (/^\d/.test(want) ? [word, word.replace(/^\d+x/, "")].includes(want) : word.startsWith(want));
  const { actions: [own], names: [names] } = game.state;
  const found = [...names.keys()].filter((move) => {
    const words = names[move].toLowerCase().split(/\s+/);
    return wanted.every((want) => {
      while (words.length) if (fits(words.shift(), want)) return true;
      return false;
    });
  });
  const shown = found.slice(0, MATCHES);
  return {
    steps: [""],
    items: shown.map((move) => names[move]),
    actions: shown.map((move, index) => [own[move], [[0, [index]]]]),
    more: found.length - shown.length,
  };
}
