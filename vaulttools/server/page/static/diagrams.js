// Puts a drawing before the source of each Mermaid diagram, once it is near. Without this script the source stays.
"use strict";

function isDark() {
  const scheme = getComputedStyle(document.documentElement).colorScheme;
  return scheme === "dark" || (scheme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
}
const TALLEST = 4000; // pixels: the frame cannot be trusted to ask for less

function draw(block) {
  const source = block.querySelector("pre");
  const frame = document.createElement("iframe");
  frame.sandbox = "allow-scripts";
  frame.src = document.body.dataset.diagrams;
  frame.title = "Diagram";
  frame.tabIndex = -1; // until it is drawn: the tab key would lead into a page that is being loaded, and stay there
  const ask = () => frame.contentWindow?.postMessage({ source: source.textContent, isDark: isDark() }, "*");
  addEventListener("message", ({ source: from, data }) => {
    if (from !== frame.contentWindow) return;
    if (data.isReady) {
      ask();
    } else if (data.problem) {
      const notice = document.createElement("p");
      notice.className = "n-notice";
      notice.textContent = `Not drawn: ${String(data.problem).slice(0, 300)}`;
      frame.remove();
      block.append(notice);
    } else {
      frame.style.height = `${Math.min(Number(data.height) || 0, TALLEST)}px`;
      if (block.classList.contains("drawn")) return;
      frame.removeAttribute("tabindex");
      const shut = document.createElement("details");
      const summary = document.createElement("summary");
      summary.textContent = "Source";
      source.replaceWith(shut);
      shut.append(summary, source);
      block.classList.add("drawn");
    }
  });
  block.prepend(frame);
  new MutationObserver(ask).observe(document.documentElement, { attributeFilter: ["data-theme"] });
}

const near = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      draw(target);
    }
  },
  { rootMargin: "300px" },
);
for (const block of document.querySelectorAll(".n-mermaid")) {
  if (block.querySelector("pre")) near.observe(block);
}
