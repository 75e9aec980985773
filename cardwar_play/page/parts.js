// Functions that all pages share.
"use strict";

const $ = (id) => document.getElementById(id);

function element(tag, text, ...classes) {
  const made = document.createElement(tag);
  made.textContent = text;
  made.classList.add(...classes);
  return made;
}

// Lays an element on the picture: left, top, width and height in percent.
function laid(made, place) {
  ["left", "top", "width", "height"].forEach((side, index) => (made.style[side] = `${place[index]}%`));
  return made;
}

function fill(id, names, selected) {
  $(id).replaceChildren(...names.map((name) => element("option", name)));
  $(id).selectedIndex = selected;
}

function row(cells, ...classes) {
  const made = element("tr", "", ...classes);
  made.append(...cells);
  return made;
}

// A cell with a bar; `share` is its length as a fraction of the width.
function barCell(share) {
  const bar = element("span", "", "bar");
  bar.style.width = `${100 * share}%`;
  const cell = element("td", "", "track");
  cell.append(bar);
  return cell;
}

// The data in a page that is a single file.
async function unpacked() {
  if (!window.DecompressionStream) throw new Error("This page needs a browser from 2023 or later.");
  const packed = Uint8Array.from(atob($("data").textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}
