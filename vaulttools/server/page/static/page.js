// Searches while a query is typed, and moves between results by the arrow keys. Everything else works without.
"use strict";

const LONG = 500; // milliseconds: a search that takes longer gives way to what was typed since

const form = document.querySelector("form.search, form.find"); // of the page for searching, or in the header of others
const input = form.elements.q;
const found = document.querySelector(".found");
const isHeader = form.classList.contains("find");
const asks = () => new URLSearchParams(new FormData(form)).toString();
let answered = asks();
let running;
let wanted; // what the running search asks for
let began;
let before; // what had the focus when a key led to the box

async function ask(asked, signal) {
  return (await fetch(form.dataset.results + asked, { signal, redirect: "error" })).text();
}

// Who has moved on to a link, while more was asked for, stays at it, or at its note. Going back from a note leads to
// these results.
function put(html, asked) {
  const at = found.contains(document.activeElement) && document.activeElement;
  found.innerHTML = html; // made by our own templates, which escape what notes hold
  if (at) {
    const links = [...found.querySelectorAll("a")];
    (links.find((link) => link.href === at.href) ?? links.find((link) => link.pathname === at.pathname) ?? input).focus();
  }
  if (!isHeader) history.replaceState(null, "", `${form.getAttribute("action")}?${asked}`);
}

// One request at a time, each for all that is typed by then: results come from the first key on, and as fast as the
// server is. Enter asks for nothing new: it lets a search that runs go on.
async function search() {
  if (running) {
    if (asks() !== wanted && performance.now() - began > LONG) running.abort();
    return;
  }
  found.setAttribute("aria-busy", "true");
  while ((wanted = asks()) !== answered) {
    running = new AbortController();
    began = performance.now();
    try {
      put(await ask(wanted, running.signal), wanted);
      answered = wanted;
    } catch (error) {
      if (error.name !== "AbortError") return form.submit(); // a login may have ended: let the server say so
    }
  }
  running = undefined;
  found.removeAttribute("aria-busy");
  if (isHeader) found.hidden = !form.contains(document.activeElement) || !input.value.trim();
}

input.addEventListener("input", search);
if (isHeader) {
  form.addEventListener("focusout", ({ relatedTarget }) => {
    if (!form.contains(relatedTarget)) found.hidden = true;
  });
} else {
  form.addEventListener("change", (event) => event.target !== input && search());
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    search();
  });
  // More results: the first new one gets the focus.
  found.addEventListener("click", async (event) => {
    const more = event.target.closest("a.button");
    if (!more || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const asked = asks();
    try {
      const html = await ask(more.search.slice(1));
      if (asked !== asks()) return;
      put(html, more.search.slice(1));
      document.querySelector(`${more.hash} a`)?.focus();
    } catch {
      location.href = more.href;
    }
  });
}

// What takes a moment to find, and may not keep the note waiting: without this script its heading is a link to it.
for (const part of document.querySelectorAll("[data-fill]")) {
  fetch(part.dataset.fill, { redirect: "error" })
    .then(async (answer) => answer.ok && part.insertAdjacentHTML("beforeend", await answer.text()))
    .catch(() => {});
}

// How far the index is goes on by itself; once it is whole, what was not known is asked for again.
const indexing = document.querySelector(".indexing");
if (indexing) {
  const timer = setInterval(async () => {
    try {
      const progress = await (await fetch(indexing.dataset.progress, { redirect: "error" })).json();
      if (progress) {
        indexing.hidden = false;
        indexing.querySelector("progress").value = progress.share;
        indexing.querySelector("span").textContent = progress.sentence;
        return;
      }
      indexing.remove();
      const hasTyped = [...document.querySelectorAll("input")].some((each) => each.value !== each.defaultValue);
      if (document.querySelector(".unknown, main .warning, .notices, .n-notice") && !hasTyped) {
        sessionStorage.focus = document.activeElement.getAttribute("href") ?? "";
        location.reload();
      }
    } catch {
      indexing.remove(); // the server or the login has ended
    }
    clearInterval(timer);
  }, 1000);
}
if (sessionStorage.focus) document.querySelector(`a[href="${CSS.escape(sessionStorage.focus)}"]`)?.focus();
sessionStorage.removeItem("focus");

// Other colours need no other page: what has the focus, and the place on the page, stay.
document.querySelector("form.themes").addEventListener("submit", (event) => {
  event.preventDefault();
  const { form: themes, value } = event.submitter;
  fetch(themes.action, { method: "POST", body: new URLSearchParams({ theme: value }), redirect: "manual" });
  for (const each of themes.elements.theme) each.setAttribute("aria-pressed", each.value === value);
  document.documentElement.dataset.theme = value;
});

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  const isShortcut = key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
  if (!isShortcut && (event.ctrlKey || event.metaKey || event.altKey)) return;
  const isTyping = target.matches("input:not([type=radio]), textarea, select");
  // The box of the start page has the focus: a slash in it is the key too while it is empty, since no question begins with one.
  const isNew = target === input && !input.value && (input.form.elements.mode?.value ?? "ranked") === "ranked";
  if (isShortcut || (key === "/" && (!isTyping || isNew))) {
    event.preventDefault();
    if (!form.contains(target)) before = target;
    input.select();
  } else if (key === "Escape" && isHeader && form.contains(target)) {
    event.preventDefault();
    const back = target === input ? before : input;
    found.hidden = true;
    back?.focus();
    if (document.activeElement === target) target.blur(); // nothing had the focus before
  } else if (key === "ArrowDown" || key === "ArrowUp") {
    if (isHeader && target === input && key === "ArrowDown") found.hidden = !input.value.trim();
    const links = [...document.querySelectorAll("a.result, .results a.where, .found a.button")].filter((link) => link.checkVisibility());
    const index = links.indexOf(target);
    if (index < 0 && target !== input) return;
    const next = key === "ArrowDown" ? links[index + 1] : index > 0 ? links[index - 1] : input;
    if (!next) return;
    event.preventDefault();
    next.focus();
  }
});
