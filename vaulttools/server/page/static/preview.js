// Shows the beginning of the note that a link leads to, while the mouse rests on the link or the keyboard is at it.
"use strict";

const REST = 350; // milliseconds: who moves across a link or tabs on wants no preview
const AWAY = 200; // milliseconds to get from the link into the preview

let shown; // the link, the preview, and the request under way
let coming;
let going;

function noteOf(link) {
  const [path, rest] = link.pathname.split("/ui/note/");
  return rest && link.origin === location.origin && link.pathname !== location.pathname ? { path, rest } : undefined;
}

function hide() {
  clearTimeout(coming);
  clearTimeout(going);
  shown?.asked.abort();
  shown?.box?.remove();
  shown?.link.removeAttribute("aria-describedby");
  shown = undefined;
}

async function show(link) {
  hide();
  const { path, rest } = noteOf(link);
  const asked = new AbortController();
  shown = { link, asked };
  let html;
  try {
    const answer = await fetch(`${path}/ui/preview/${rest}${link.search}`, { signal: asked.signal, redirect: "error" });
    if (!answer.ok) return;
    html = await answer.text();
  } catch {
    return; // the reader went on, or the login has ended
  }
  const box = document.createElement("div");
  box.id = "preview";
  box.setAttribute("role", "tooltip");
  box.innerHTML = html; // made by our own templates, and sanitised
  document.body.append(box);
  shown.box = box;
  link.setAttribute("aria-describedby", "preview");
  const [at, size] = [link.getBoundingClientRect(), box.getBoundingClientRect()];
  const isBelow = at.bottom + size.height + 8 < innerHeight || at.top < size.height;
  box.style.left = `${scrollX + Math.max(8, Math.min(at.left, document.documentElement.clientWidth - size.width - 8))}px`;
  box.style.top = `${scrollY + (isBelow ? at.bottom + 4 : at.top - size.height - 4)}px`;
}

function linkAt(target) {
  const link = target.closest?.("main a[href]");
  return link && noteOf(link) ? link : undefined;
}

addEventListener("pointerover", (event) => {
  if (event.pointerType !== "mouse") return;
  const link = linkAt(event.target);
  if (link ? link === shown?.link : event.target.closest?.("#preview")) clearTimeout(going);
  else if (link) {
    clearTimeout(coming);
    coming = setTimeout(show, REST, link);
  }
});
addEventListener("pointerout", (event) => {
  if (event.pointerType !== "mouse") return;
  clearTimeout(coming);
  clearTimeout(going);
  going = setTimeout(hide, AWAY);
});
addEventListener("focusin", (event) => {
  const link = linkAt(event.target);
  if (!link?.matches(":focus-visible")) return;
  clearTimeout(coming);
  coming = setTimeout(show, REST, link);
});
addEventListener("focusout", hide);
addEventListener("keydown", (event) => event.key === "Escape" && hide());
