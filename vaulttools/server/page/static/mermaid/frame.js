// Draws the diagram that the page sends. It runs in a frame without an origin, so that nothing in a diagram reaches the page.
"use strict";

addEventListener("message", async (event) => {
  if (event.source !== parent) return;
  const { source, isDark } = event.data;
  document.documentElement.style.colorScheme = isDark ? "dark" : "light";
  mermaid.initialize({ startOnLoad: false, securityLevel: "strict", theme: isDark ? "dark" : "default" });
  try {
    document.body.innerHTML = (await mermaid.render("diagram", source)).svg;
    document.body.style.margin = 0;
    const drawn = document.body.firstElementChild;
    parent.postMessage({ height: Math.ceil(drawn.getBoundingClientRect().height) }, "*");
  } catch (error) {
    parent.postMessage({ problem: String(error.message ?? error) }, "*");
  }
});
parent.postMessage({ isReady: true }, "*");
