// Shows the recorded solutions: value, payoff matrix, both strategies, and ranges over all optimal strategies.
"use strict";

const PLAYERS = ["player_0", "player_1"];
let all = [];

const kinds = () => [...new Set(all.map((each) => each.game))];
const sizes = () => all.filter((each) => each.game === kinds()[$("kind").selectedIndex]);
const chosen = () => sizes()[$("size").selectedIndex];
const wordsOf = (each) => each.command.split(" ").slice(3).filter((word) => word[0] !== "-").join(" ") || "default";
const exact = (fraction, number) => ($("exact").checked && fraction !== undefined ? fraction : number.toFixed(3).replace(/^-(0\.0+)$/, "$1"));

function offerSizes(size) {
  fill("size", sizes().map(wordsOf), size);
  offerStarts(0);
}

function offerStarts(start) {
  const starts = chosen().starts ?? [];
  $("places").hidden = starts.length < 2;
  fill("start", shortened(starts.map((each) => each.state)), start);
  show();
}

// The first field in which texts of states differ; the whole texts if there is none.
function shortened(texts) {
  const fields = texts.map((text) => text.split(" "));
  const at = fields[0]?.findIndex((_, place) => new Set(fields.map((each) => each[place])).size === texts.length);
  return at >= 0 && texts.length > 1 ? fields.map((each) => each[at]) : texts;
}

function number(text, value, most) {
  const cell = element("td", text, "n");
  const share = Math.round(most ? (70 * Math.abs(value)) / most : 0);
  cell.style.background = `color-mix(in srgb, var(${value < 0 ? "--costly" : "--bar"}) ${share}%, transparent)`;
  return cell;
}

function showMatrix(start) {
  $("matrix").hidden = !start;
  if (!start) return;
  const most = Math.max(...start.payoff_matrix.flat().map(Math.abs));
  const heads = start.columns.map((name) => element("th", name, "n"));
  const rows = start.payoff_matrix.map((values, at) => row([
    element("th", start.rows[at]),
    ...values.map((value, next) => number(exact(start.exact_payoff_matrix?.[at][next], value), value, most)),
  ]));
  $("matrix").querySelector("table").replaceChildren(row([element("th", ""), ...heads]), ...rows);
}

// A row per move with its probability, its least and greatest optimal probability if they are determined, and the same
// as fractions.
function rowsOf(moves) {
  return moves.map(([name, { probability, low, high, fractions }]) => {
    const range = high > low ? `${exact(fractions?.[1], low)} to ${exact(fractions?.[2], high)}` : "";
    const at = exact(fractions?.[0], probability);
    return row([element("th", name), barCell(probability), element("td", at, "n"), element("td", range, "n", "free")]);
  });
}

function tableOf(rows) {
  const table = document.createElement("table");
  table.append(...rows);
  return table;
}

function mixesAt(start) {
  return start.players.map(({ unique, actions }, player) => {
    const moves = Object.entries(actions).map(([name, each]) => {
      const fractions = each.exact_probability && [each.exact_probability, ...each.exact];
      return [name, { ...each, fractions }];
    });
    const said = { true: "The only optimal strategy.", false: "One of many optimal strategies; beside each probability is its range over all of them.", null: "An optimal strategy; others are not determined in floats." };
    return [element("h2", PLAYERS[player]), element("p", said[unique], "quiet"), tableOf(rowsOf(moves))];
  });
}

// For games with private information: a mixed strategy for each private observation.
function mixesByView({ strategies, exact_strategies, ranges, exact_ranges }) {
  return strategies.map((views, player) => [
    element("h2", PLAYERS[player]),
    element("p", "A mixed strategy for each roll; beside each probability is its range over all optimal strategies.", "quiet"),
    tableOf(Object.entries(views).flatMap(([view, moves]) => {
      const full = Object.entries(moves).map(([name, probability]) => {
        const [low, high] = ranges[player][view][name];
        const fraction = exact_strategies?.[player][view][name];
        return [name, { probability, low, high, fractions: fraction && [fraction, ...exact_ranges[player][view][name]] }];
      });
      return [row([element("th", view, "view")]), ...rowsOf(full)];
    })),
  ]);
}

function show() {
  const entry = chosen();
  const start = entry.starts?.[Math.max(0, $("start").selectedIndex)];
  $("fractions").hidden = !(entry.exact_strategies || start?.exact_payoff_matrix);
  const worth = start ?? entry;
  const certified = entry.gap ? `certified to ${entry.gap.toExponential(1)}` : "exact";
  const odds = start && start.probability !== "1" ? ` This position has probability ${start.probability}.` : "";
  const whose = odds ? "Value of this position" : "Value";
  $("worth").textContent = `${whose} ${$("exact").checked && worth.exact ? worth.exact : worth.value.toFixed(6)} to player_0, ${certified}.${odds}`;
  $("command").textContent = odds ? `${entry.command} --state "${start.state}"` : entry.command;
  const place = [entry.game, wordsOf(entry), $("start").selectedIndex].join("/");
  $("link").href = `#${encodeURIComponent(place)}`;
  showMatrix(start);
  $("mixes").replaceChildren(...(start ? mixesAt(start) : mixesByView(entry)).map((parts) => {
    const each = document.createElement("div");
    each.append(...parts);
    return each;
  }));
}

// The position that the address names, or the first game's largest.
function goTo(address) {
  const [kind, size, start] = decodeURIComponent(address.slice(1)).split("/");
  fill("kind", kinds(), Math.max(0, kinds().indexOf(kind)));
  const found = sizes().findIndex((each) => wordsOf(each) === size);
  offerSizes(found < 0 ? sizes().length - 1 : found);
  if (found >= 0 && Number(start) > 0 && Number(start) < chosen().starts?.length) offerStarts(Number(start));
}

addEventListener("DOMContentLoaded", async () => {
  try {
    all = (await unpacked()).solutions;
  } catch (error) {
    $("message").textContent = error.message;
    $("message").hidden = false;
    return;
  }
  goTo(location.hash || "#jujitsu/num_cards=5");
  addEventListener("hashchange", () => goTo(location.hash));
  $("kind").addEventListener("change", () => offerSizes(sizes().length - 1));
  $("size").addEventListener("change", () => offerStarts(0));
  $("start").addEventListener("change", show);
  $("exact").addEventListener("change", show);
});
