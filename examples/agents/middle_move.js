// An agent in JavaScript: names the middle one of its moves.
//
//     cardwar match jujitsu num_cards=5 "agent:node examples/agents/middle_move.js" uniform --games 1000
"use strict";

const lines = require("node:readline").createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const { moves } = JSON.parse(line);
  console.log(JSON.stringify({ move: moves[Math.floor(moves.length / 2)].name }));
});
