// The host of a page that `cardwar play --web` serves; it forwards every request to that program.
"use strict";

async function ask(path, body) {
  const options = body && {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  };
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Error("The server does not respond. If it has stopped, start it again; this game is lost.");
  }
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) {
    throw Object.assign(new Error(said.error || `The server returned status ${answer.status}.`), { view: said.view });
  }
  return said;
}

function draw(now) {
  $("scene").src = `scene.svg?game=${now.game}&turn=${now.turn}&step=${now.step ?? ""}`;
  $("scene").alt = now.position;
}
