// Draws the map of a vault: folders as nested boxes, notes as dots in them, links as lines.
"use strict";

const canvas = document.getElementById("map");
const shownNote = document.getElementById("map-note");
const MOST_LINES = 4000; // more are grey as a whole, so that lines between folders say more
const MOST_GROUPS = 400; // lines between folders, those for most links first
const LABEL = 17; // pixels of a folder's name
const NAMED = 60; // notes at most that are drawn with their names
const ROW = 22; // pixels of such a note
const COLUMN = 260; // pixels at least of a column of such notes
const GAP = 12; // pixels between columns and between the boxes in them
const SIDE = 52; // pixels left of such notes, for the lines between those of one column

let data; // as the server answers
let boxes = []; // of folders: { index, x, y, width, height, depth, label }
let dots = []; // by note: { x, y, radius, room }; room: pixels for its name, 0 without one
let linkedFrom = []; // by note: the notes that link to it
let selected = -1;
let named; // whether the notes have their names

// Divides a box between items by their weights, along its longer side, and again within the halves.
function divide(items, box, place) {
  if (items.length === 1) return place(items[0], box);
  if (!items.length) return;
  const all = items.reduce((sum, each) => sum + each.weight, 0);
  let count = 0;
  let weight = 0;
  while (count < items.length - 1 && (count === 0 || weight + items[count].weight / 2 < all / 2)) weight += items[count++].weight;
  const share = weight / all;
  const isWide = box.width >= box.height;
  const first = isWide ? { ...box, width: box.width * share } : { ...box, height: box.height * share };
  const second = isWide
    ? { ...box, x: box.x + first.width, width: box.width - first.width }
    : { ...box, y: box.y + first.height, height: box.height - first.height };
  divide(items.slice(0, count), first, place);
  divide(items.slice(count), second, place);
}

function layOut(width, height) {
  const below = data.folders.map(() => []);
  data.folders.forEach(([, above], index) => above >= 0 && below[above].push(index));
  const own = data.folders.map(() => []);
  data.notes.forEach(([, folder], index) => own[folder].push(index));
  const totals = [...data.counts];
  for (let index = totals.length - 1; index > 0; index--) totals[data.folders[index][1]] += totals[index];
  boxes = [];
  dots = [];
  const grid = (notes, box) => {
    const columns = Math.min(notes.length, Math.ceil(Math.sqrt((notes.length * box.width) / Math.max(1, box.height))));
    const rows = Math.ceil(notes.length / columns);
    const [wide, high] = [box.width / columns, box.height / rows];
    const radius = Math.max(0.6, Math.min(4, wide * 0.35, high * 0.35));
    notes.forEach((note, place) => {
      dots[note] = { x: box.x + wide * ((place % columns) + 0.5), y: box.y + high * (Math.floor(place / columns) + 0.5), radius, room: 0 };
    });
  };
  const open = (index, box, depth) => {
    const edge = depth ? Math.min(4, box.width / 12, box.height / 12) : 0;
    const label = depth && box.width > 40 && box.height > 34 ? LABEL : 0;
    const inner = { x: box.x + edge, y: box.y + edge / 2, width: box.width - 2 * edge, height: box.height - edge };
    boxes.push({ ...inner, index, depth, label });
    const inset = Math.min(4, inner.width / 10, inner.height / 10);
    const room = { x: inner.x + inset, y: inner.y + label + (label ? 0 : inset), width: inner.width - 2 * inset, height: inner.height - label - inset * (label ? 1 : 2) };
    const items = below[index].map((folder) => ({ folder, weight: totals[folder] + 2 }));
    if (own[index].length) items.push({ notes: own[index], weight: own[index].length });
    items.sort((one, other) => other.weight - one.weight);
    divide(items, room, (item, at) => (item.notes ? grid(item.notes, at) : open(item.folder, at, depth + 1)));
  };
  open(0, { x: 0, y: 0, width, height }, 0);
}

// Few notes: a box for each folder with its notes one below the other, in columns. Returns the height of the whole.
function listOut(width) {
  boxes = [];
  dots = [];
  const own = data.folders.map(() => []);
  data.notes.forEach(([, folder], index) => own[folder].push(index));
  const count = Math.max(1, Math.floor((width - GAP) / (COLUMN + GAP)));
  const wide = (width - GAP * (count + 1)) / count;
  const most = Math.max(8, Math.ceil(data.notes.length / count));
  const ends = Array(count).fill(GAP);
  own.forEach((all, index) => {
    const size = Math.ceil(all.length / Math.ceil(all.length / most));
    for (let start = 0; start < all.length; start += size) {
      const notes = all.slice(start, start + size);
      const column = ends.indexOf(Math.min(...ends));
      const [x, y] = [GAP + column * (wide + GAP), ends[column]];
      const label = index ? LABEL : 0;
      const height = label + notes.length * ROW + 6;
      boxes.push({ x, y, width: wide, height, index, depth: 1, label });
      notes.forEach((note, place) => {
        dots[note] = { x: x + SIDE, y: y + label + 3 + ROW * (place + 0.5), radius: 4, room: wide - SIDE - 16 };
      });
      ends[column] += height + GAP;
    }
  });
  return Math.max(...ends);
}

function line(context, from, to) {
  const bend = (to.x - from.x) * 0.12;
  const aside = named && from.x === to.x ? Math.min(2 * SIDE - 12, 16 + Math.abs(to.y - from.y) / 3) : 0;
  const y = Math.min(Math.max((from.y + to.y) / 2 - bend, 4), canvas.clientHeight - 4);
  context.moveTo(from.x, from.y);
  context.quadraticCurveTo((from.x + to.x) / 2 - aside, y, to.x, to.y);
}

// The links of many notes are not drawn one by one: those between two folders are counted.
function drawGroups(context, colours) {
  const counts = new Map();
  data.links.forEach((targets, source) => {
    for (const target of targets) {
      const ends = [data.notes[source][1], data.notes[target][1]];
      if (ends[0] === ends[1]) continue;
      const key = Math.min(...ends) * data.folders.length + Math.max(...ends);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  });
  const centres = data.folders.map(() => undefined);
  for (const box of boxes) centres[box.index] = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const most = [...counts].sort((one, other) => other[1] - one[1]).slice(0, MOST_GROUPS);
  context.strokeStyle = colours.accent;
  context.globalAlpha = 0.28;
  for (const [key, count] of most) {
    context.lineWidth = 0.5 + Math.log2(count) / 3;
    context.beginPath();
    line(context, centres[Math.floor(key / data.folders.length)], centres[key % data.folders.length]);
    context.stroke();
  }
}

function drawLinks(context, colours) {
  const count = data.links.reduce((sum, each) => sum + each.length, 0);
  if (count > MOST_LINES) return drawGroups(context, colours);
  context.strokeStyle = colours.quiet;
  context.globalAlpha = count > 500 ? 0.25 : 0.5;
  context.lineWidth = 0.8;
  context.beginPath();
  data.links.forEach((targets, source) => targets.forEach((target) => line(context, dots[source], dots[target])));
  context.stroke();
}

function drawDots(context, colour, notes) {
  context.fillStyle = colour;
  context.beginPath();
  for (const note of notes) {
    const { x, y, radius } = dots[note];
    context.moveTo(x + radius, y);
    context.arc(x, y, radius, 0, 7);
  }
  context.fill();
}

function drawNames(context, colours) {
  context.lineWidth = 3;
  context.strokeStyle = colours.raised;
  dots.forEach(({ x, y, room }, note) => {
    let name = data.notes[note][0].replace(/\.md$/i, "");
    while (context.measureText(name).width > room) name = `${name.slice(0, -2)}…`;
    context.strokeText(name, x + 10, y + 1); // so that no line crosses it
    context.fillText(name, x + 10, y + 1);
  });
}

function draw() {
  const style = getComputedStyle(canvas);
  // A canvas knows no custom properties: the style sheet gives them to properties that a canvas has no use for.
  const colours = { text: style.color, edge: style.borderTopColor, accent: style.textDecorationColor, quiet: style.caretColor, raised: style.columnRuleColor };
  const context = canvas.getContext("2d");
  const scale = canvas.width / canvas.clientWidth;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
  context.lineWidth = 1;
  for (const box of boxes) {
    if (!box.depth) continue;
    context.fillStyle = colours.raised;
    context.strokeStyle = colours.edge;
    context.globalAlpha = 0.6;
    context.fillRect(box.x, box.y, box.width, box.height);
    context.globalAlpha = 1;
    context.strokeRect(box.x, box.y, box.width, box.height);
  }
  drawLinks(context, colours);
  context.globalAlpha = 1;
  const isLinked = (note) => data.links[note].length || linkedFrom[note].length;
  drawDots(context, colours.quiet, [...dots.keys()].filter(isLinked));
  context.globalAlpha = 0.45;
  drawDots(context, colours.quiet, [...dots.keys()].filter((note) => !isLinked(note)));
  context.globalAlpha = 1;
  context.font = `12px ${style.fontFamily}`;
  context.textBaseline = "middle";
  context.fillStyle = colours.text;
  for (const box of boxes) {
    if (!box.label) continue;
    context.save();
    context.beginPath();
    context.rect(box.x, box.y, box.width - 3, box.label);
    context.clip();
    context.fillText(named ? pathOf(box.index, false) : data.folders[box.index][0], box.x + 4, box.y + box.label / 2 + 1);
    context.restore();
  }
  if (named) drawNames(context, colours);
  if (selected >= 0) {
    const near = [...data.links[selected], ...linkedFrom[selected]];
    context.strokeStyle = colours.accent;
    context.lineWidth = 1.2;
    context.beginPath();
    for (const each of near) line(context, dots[selected], dots[each]);
    context.stroke();
    drawDots(context, colours.accent, [selected, ...near]);
  }
}

function fit() {
  if (named) canvas.style.height = `${listOut(canvas.clientWidth)}px`;
  else layOut(canvas.clientWidth, canvas.clientHeight);
  const scale = window.devicePixelRatio || 1;
  canvas.width = canvas.clientWidth * scale;
  canvas.height = canvas.clientHeight * scale;
  draw();
  canvas.dataset.drawn = dots.length;
}

function pathOf(folder, isWhole = true) {
  const [name, above] = data.folders[folder];
  return above < 0 ? (isWhole ? name : "") : [pathOf(above, isWhole), name].filter(Boolean).join("/");
}

function addressOf(kind, path) {
  return `${canvas.dataset.base}/${kind}/${path.split("/").map(encodeURIComponent).join("/")}`;
}

function at(event) {
  const edges = canvas.getBoundingClientRect();
  const [x, y] = [event.clientX - edges.left, event.clientY - edges.top];
  let nearest = -1;
  let least = 144; // 12 pixels
  dots.forEach((dot, index) => {
    const far = (dot.x - x + Math.max(0, Math.min(dot.room, x - dot.x))) ** 2 + (dot.y - y) ** 2;
    if (far < least) [nearest, least] = [index, far];
  });
  const inside = boxes.filter((box) => x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height);
  const box = inside.at(-1);
  return { note: box?.label && y < box.y + box.label ? -1 : nearest, folder: box?.index ?? 0 };
}

// What the pointer is at, as a link: a finger has no other way to see the name before it opens the note.
function tell({ note, folder }) {
  const link = document.createElement("a");
  const path = [pathOf(folder), note < 0 ? "" : data.notes[note][0]].filter(Boolean).join("/");
  link.href = addressOf(note < 0 ? "map" : "note", path);
  link.textContent = path;
  const count = note < 0 ? "" : ` ${data.links[note].length} links from it, ${linkedFrom[note].length} to it`;
  shownNote.replaceChildren(...(path ? [link, count] : []));
}

function select(event) {
  const found = at(event);
  tell(found);
  canvas.classList.toggle("leads", found.note >= 0 || found.folder > 0);
  if (found.note === selected) return;
  selected = found.note;
  draw();
}

async function start() {
  const answer = await fetch(canvas.dataset.source, { redirect: "error" });
  data = await answer.json();
  named = data.notes.length > 0 && data.notes.length <= NAMED;
  linkedFrom = data.links.map(() => []);
  data.links.forEach((targets, source) => targets.forEach((target) => linkedFrom[target].push(source)));
  fit();
  let width = canvas.clientWidth;
  new ResizeObserver(() => {
    if (canvas.clientWidth !== width) fit((width = canvas.clientWidth));
  }).observe(canvas);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  new MutationObserver(draw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  canvas.addEventListener("pointermove", select);
  canvas.addEventListener("pointerdown", select);
  canvas.addEventListener("click", (event) => {
    const { note, folder } = at(event);
    if (event.pointerType === "touch" || (note < 0 && folder === 0)) return;
    location.href = shownNote.querySelector("a").href;
  });
}

start();
