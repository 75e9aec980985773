// The host of a page in one file: it answers requests from the data in the page and needs no rules. A place is a state
// with the payoffs so far; in lists of two, the human player comes first and the opponent second (see listing.py).
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const MATCHES = 12; // maximum number of results of a search
const LENGTHS = [null, 3, 5, 9, 25]; // lengths of a series; null: unlimited
let series = { length: null, accounts: [] }; // `accounts`: of its finished games
let data = null;
let game = null; // the game in progress

async function ask(path, body) {
  if (!data) {
    data = await unpacked();
    settle();
    await deal();
  }
  const [name, query] = path.split("?");
  if (name === "choices") return { turn: turn(), ...matching(new URLSearchParams(query).get("text")) };
  if (name === "play") {
    step(game.state.actions[0].indexOf(body.action), game.move);
    await advance();
  } else if (name === "new") {
    if (body.series !== null) series = { length: LENGTHS[body.series], accounts: [] };
    await deal();
  } else if (name === "give-up") {
    Object.assign(game, { ending: "given up", left: game.seal, seal: null });
  }
  return viewOf();
}

// Hides what only a server can do.
function settle() {
  const picture = document.createElementNS(SVG, "svg");
  picture.id = "scene";
  picture.setAttribute("role", "img");
  $("scene").replaceWith(picture);
  $("leave").hidden = $("change").hidden = $("record").hidden = true;
  $("stores").textContent = "This file contains the whole game. It contacts no server and stores nothing.";
  if (crypto.subtle) return;
  $("seals").hidden = true;
  $("seals").after(element("p", "The opponent's move is drawn before yours. You cannot verify this, because this browser cannot seal it.", "quiet"));
}

function draw(now) {
  const { look, shapes } = now.picture;
  for (const [name, value] of Object.entries(look)) $("scene").setAttribute(name, value);
  $("scene").setAttribute("aria-label", now.position);
  $("scene").replaceChildren(...shapes.map((number) => {
    const [tag, attributes, text] = data.shapes[number];
    const made = document.createElementNS(SVG, parted(tag)[2]);
    for (const [name, value] of Object.entries(attributes)) {
      const [, space, local] = parted(name);
      made.setAttributeNS(space || null, space ? `xml:${local}` : local, value);
    }
    made.textContent = text;
    return made;
  }));
}

// Splits an XML name, "{namespace}name" or "name", into its parts.
function parted(name) {
  return /^(?:\{(.*)\})?(.*)$/.exec(name);
}

// -- the game -----------------------------------------------------------------------------

// Draws an index from a list of probabilities, with 53 random bits.
function drawn(probabilities) {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  let left = ((high >>> 5) * 2 ** 26 + (low >>> 6)) / 2 ** 53;
  const place = probabilities.findIndex((each) => (left -= each) < 0);
  return place < 0 ? probabilities.indexOf(Math.max(...probabilities)) : place; // the sum may be just below 1
}

function stateAt(place) {
  return data.states[data.places[place][0]];
}

async function deal() {
  const start = data.starts[drawn(data.starts.map(([probability]) => probability))];
  game = { id: crypto.getRandomValues(new Uint32Array(2)).join("-"), steps: [], ending: "", left: null };
  game.account = { result: start[2], value: data.value, chance: 0, draws: 0, mine: 0, theirs: 0 };
  reach(start);
  game.account.chance = start[2] + game.state.worth - data.value;
  await advance();
}

function reach([, place, , picture]) {
  Object.assign(game, { place, picture, state: stateAt(place) });
}

// Plays up to the human player's next decision, at which the opponent's move is drawn and sealed.
async function advance() {
  game.seal = null;
  for (;;) {
    const { actions: [own, other], mixes } = game.state;
    if (!own.length && !other.length) break;
    const move = other.length ? drawn(mixes[1]) : -1;
    if (own.length) {
      game.move = move;
      game.seal = await sealed(move);
      return;
    }
    step(-1, move);
  }
  game.ending = "over";
  game.account.draws += game.account.mine - game.account.theirs;
  series.accounts.push(game.account);
}

// Plays the moves with these indices in the lists of actions; -1 for a player who waits.
function step(mine, theirs) {
  const { state, account } = game;
  const outcomes = data.places[game.place][2][Math.max(mine, 0) * Math.max(state.actions[1].length, 1) + Math.max(theirs, 0)];
  const outcome = outcomes[drawn(outcomes.map(([probability]) => probability))];
  const worth = ([, place, points]) => points + stateAt(place).worth;
  const expected = outcomes.reduce((sum, each) => sum + each[0] * worth(each), 0);
  const costs = [mine, theirs].map((place, player) => (place < 0 ? 0 : state.costs[player][place]));
  account.result += outcome[2];
  account.chance += worth(outcome) - expected;
  account.draws += expected - state.worth;
  account.mine += costs[0];
  account.theirs += costs[1];
  const played = [mine, theirs].flatMap((place, player) => (place < 0 ? [] : [[data.names[player], state.names[player][place]]]));
  if (data.seat) played.reverse();
  const verdict = mine < 0 ? null : data.verdicts[state.verdicts[mine]];
  game.steps.push({ place: game.place, played, verdict, cost: costs[0], name: mine < 0 ? "" : state.names[0][mine], seal: game.seal });
  reach(outcome);
}

// The SHA-256 of the opponent's move with random digits, in the format of seal.py.
async function sealed(move) {
  const nonce = hex(crypto.getRandomValues(new Uint8Array(16)));
  const { actions, names } = game.state;
  const plays = move < 0 ? "nobody else plays" : `player_${1 - data.seat} plays ${names[1][move]} (action ${actions[1][move]})`;
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

function viewOf() {
  const made = decisions();
  const over = game.ending === "over";
  return {
    game: game.id, turn: turn(), number: 1 + made.length, lengths: LENGTHS, out: false, judged: true,
    worth: game.ending ? "" : `If both play the equilibrium, you get ${inPoints(game.state.expected, "+")} from here.`,
    title: data.title, parameters: data.parameters, seat: data.seated, rules: data.rules, opponents: [data.names[1]],
    position: data.texts[data.places[game.place][1]],
    digest: game.seal ? game.seal.digest : "",
    last: lastMoves(made),
    total: made.length ? decimals(game.account.mine, 0) : "",
    given_away: made.length ? `points given away in ${made.length} move${made.length === 1 ? "" : "s"}` : "",
    ending: over ? accountSentence(game.account, data.names[1])
      : game.ending && `The game was ${game.ending} and does not count.`,
    account: over ? accountRows(game.account, data.names[1]) : [],
    left: game.left,
    review: made.map(({ cost, name, verdict }, place) => ({ number: place + 1, played: name, worth: cost, cost: verdict.cost, free: verdict.free }))
      .filter((each) => each.worth > 0).sort((one, other) => other.worth - one.worth),
    series: {
      length: series.length,
      ...standing(series.length, series.accounts),
      said: series.accounts.length > 1 ? seriesSentences(series.accounts, data.names[1]) : [],
    },
    choices: game.ending ? { steps: [], items: [], actions: [], more: 0 } : data.choices[game.state.choices],
    picture: data.pictures[game.picture],
  };
}

// The human player's last move, and the opponent's moves since.
function lastMoves(made) {
  const since = made.length ? game.steps.slice(game.steps.indexOf(made.at(-1))) : game.steps;
  if (!since.length) return null;
  const [moved, later] = made.length ? [since[0], since.slice(1)] : [null, since];
  return {
    moves: moved ? moved.played : [],
    outcome: data.pictures[game.picture].outcome,
    opened: moved && moved.seal,
    verdict: moved && moved.verdict,
    later: later.map((each) => each.played),
  };
}

// The choices whose names contain these words in this order, as in choices.py.
function matching(text) {
  const wanted = text.toLowerCase().split(/\s+/).filter((word) => word);
  const fits = (word, want) => (/^\d/.test(want) ? [word, word.replace(/^\d+x/, "")].includes(want) : word.startsWith(want));
  const { actions: [own], names: [names] } = game.state;
  const found = names.map((_, place) => place).filter((place) => {
    const words = names[place].toLowerCase().split(/\s+/);
    return wanted.every((want) => {
      while (words.length) if (fits(words.shift(), want)) return true;
      return false;
    });
  });
  const shown = found.slice(0, MATCHES);
  return {
    steps: [""],
    items: shown.map((place) => names[place]),
    actions: shown.map((place, at) => [own[place], [[0, [at]]]]),
    more: found.length - shown.length,
  };
}
