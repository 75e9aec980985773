// Texts for numbers and for results against the equilibrium, the same as those of account.py.
"use strict";

const NOTHING = 1e-6; // smaller terms are rounding errors of a sum, but smaller costs are costs

// Rounds to three decimals. Ties, which only multiples of 1/16 can be, go to the even digit.
function rounded(number) {
  const size = Math.abs(number);
  const low = Math.floor(1000 * size);
  const tie = Number.isInteger(16 * size) && 1000 * size - low === 0.5;
  const near = tie ? (low + (low % 2)) / 1000 : Number(size.toFixed(3));
  return number < 0 && near ? -near : near;
}

function tiny(number, least) {
  return number > least && number < 0.5 * 0.1 ** 3;
}

function decimals(number, least = NOTHING) {
  return tiny(number, least) ? "<0.001" : rounded(number).toFixed(3);
}

function signed(number) {
  const near = rounded(number);
  return (near < 0 ? "" : "+") + near.toFixed(3);
}

function amount(number, sign = "", least = NOTHING) {
  if (tiny(number, least)) return "less than 0.001";
  return (sign && rounded(number) ? signed(number) : rounded(number).toFixed(3)).replace(/0+$/, "").replace(/\.$/, "");
}

function inPoints(number, sign = "") {
  const text = amount(number, sign);
  return `${text} point${text.replace(/^[+-]+/, "") === "1" ? "" : "s"}`;
}

function paid(result) {
  if (Math.abs(result) <= NOTHING) return "You broke even";
  return `You ${result > 0 ? "won" : "lost"} ${inPoints(Math.abs(result))}`;
}

function brought(luck) {
  return `${luck > 0 ? "brought" : "cost"} you ${amount(Math.abs(luck))}`;
}

// The rounded terms; luck, if there is any, absorbs the rounding error, so that the terms add up.
function roundedTerms({ result, value, chance, draws, mine, theirs }) {
  const terms = [value, chance, draws, mine, theirs];
  const all = terms.map(rounded);
  const missing = rounded(result) - (all.reduce((sum, each) => sum + each, 0) - 2 * all[3]);
  const found = [[2, 1], [1, 1], [4, 1], [3, -1]].find(([place]) => Math.abs(terms[place]) > NOTHING);
  if (found) all[found[0]] = rounded(all[found[0]] + found[1] * missing);
  return all;
}

function accountRows(account) {
  const [value, chance, draws, mine, theirs] = roundedTerms(account);
  return [
    ["value of the game to you", value, "mean result if both play optimally"],
    ["luck of chance", chance, "what chance paid beyond its mean"],
    ["luck in moves", draws, "how your moves met theirs"],
    ["your mistakes", -mine, "costs of your moves"],
    ["mistakes of the perfect player", theirs, "costs of its moves"],
    ["result", account.result, ""],
  ].filter(([label, term]) => term || label === "result").map(([label, term, why]) => [label, signed(term), why]);
}

function accountSentence(account) {
  const [value, chance, draws] = roundedTerms(account);
  const luck = rounded(chance + draws);
  const [mine, theirs] = [account.mine > 0, account.theirs > 0];
  const neither = "neither you nor the perfect player made a mistake";
  if (!value && !mine && !theirs) return `${paid(account.result)}${luck ? " by luck" : ""}: ${neither}.`;
  const reasons = value ? [`the game is worth ${amount(value)} to you`] : [];
  if (luck) reasons.push(`luck ${brought(luck)}`);
  if (theirs) reasons.push(`the perfect player gave away ${amount(account.theirs, "", 0)}`);
  if (mine) reasons.push(`you gave away ${amount(account.mine, "", 0)}`);
  const last = reasons.pop();
  const listed = reasons.length ? `${reasons.join(", ")} and ${last}` : last;
  if (mine && theirs) return `${paid(account.result)}: ${listed}.`;
  const faultless = mine ? "the perfect player made no mistake" : theirs ? "you made no mistake" : neither;
  return `${paid(account.result)}: ${listed}; ${faultless}.`;
}

// The standing of a series of games, and whether it is decided; `length` is null if it is unlimited.
function standing(length, accounts) {
  if (length === null) return { standing: "", decided: false };
  if (!accounts.length) return { standing: `Best of ${length}.`, decided: false };
  const [won, lost] = [1, -1].map((sign) => accounts.filter(({ result }) => sign * result > NOTHING).length);
  const left = length - accounts.length;
  const decided = left <= 0 || Math.abs(won - lost) > left;
  const [score, whole] = [`${won} to ${lost}`, `the best of ${length}`];
  const verb = decided ? (won > lost ? "win" : "lose") : won > lost ? "lead in" : "are behind in";
  const level = decided ? `You draw ${whole}, ${score}.` : `It is ${score} after ${accounts.length} of at most ${length} games.`;
  return { standing: won === lost ? level : `You ${verb} ${whole}, ${score}.`, decided };
}
