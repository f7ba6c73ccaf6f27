// Searches while a query is typed, and moves between results by the arrow keys. Everything else works without.
"use strict";

const form = document.querySelector("form.search");
const results = document.getElementById("results");

const LONG = 500; // milliseconds: a search that takes longer gives way to what was typed since

if (form && results) {
  const input = form.elements.q;
  const asks = () => new URLSearchParams(new FormData(form)).toString();
  let shown = asks();
  let running;
  let began;

  // Who has moved on to a result, while more was asked for, stays at that note.
  const show = (html) => {
    const address = results.contains(document.activeElement) && document.activeElement.getAttribute("href");
    results.innerHTML = html; // made by our own templates, which escape what notes hold
    if (address) ([...results.querySelectorAll("a")].find((link) => link.getAttribute("href") === address) ?? input).focus();
  };

  // One request at a time, each for all that is typed by then: results come from the first key on, and as fast as the
  // server is.
  const search = async () => {
    if (running) {
      if (performance.now() - began > LONG) running.abort();
      return;
    }
    results.setAttribute("aria-busy", "true");
    for (let asked = asks(); asked !== shown; asked = asks()) {
      running = new AbortController();
      began = performance.now();
      try {
        const answer = await fetch(`${form.dataset.results}?${asked}`, { signal: running.signal, redirect: "error" });
        show(await answer.text());
        shown = asked;
        // Going back from a note leads to these results.
        history.replaceState(null, "", `${form.getAttribute("action")}?${asked}`);
      } catch (error) {
        if (error.name !== "AbortError") return form.submit(); // a login may have ended: let the server say so
      }
    }
    running = undefined;
    results.removeAttribute("aria-busy");
  };

  input.addEventListener("input", search);
  form.addEventListener("change", (event) => event.target !== input && search());
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    search();
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
      const input = document.querySelector("input[type=search]");
      const hasTyped = input && input.value !== input.defaultValue;
      if (document.querySelector(".unknown, main .warning, .notices") && !hasTyped) location.reload();
    } catch {
      indexing.remove(); // the server or the login has ended
    }
    clearInterval(timer);
  }, 1000);
}

// The colours chosen lead back to the results that were typed for since the page came.
const themes = document.querySelector("form.themes");
themes?.addEventListener("submit", () => {
  themes.elements.to.value = location.pathname + location.search;
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isTyping = event.target.matches("input:not([type=radio]), textarea, select");
  const input = document.querySelector("input[type=search]");
  // The box of the start page has the focus: a slash in it is the key too while it is empty, since no question begins with one.
  const isNew = event.target === input && !input.value && input.form.elements.mode?.value === "ranked";
  if (event.key === "/" && (!isTyping || isNew) && input) {
    event.preventDefault();
    input.select();
    return;
  }
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const links = [...document.querySelectorAll("a.result, .results a.where")];
  const index = links.indexOf(event.target);
  if (index < 0 && event.target !== input) return;
  const next = event.key === "ArrowDown" ? links[index + 1] : index > 0 ? links[index - 1] : input;
  if (next) {
    event.preventDefault();
    next.focus();
  }
});
