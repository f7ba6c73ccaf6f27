// Colours code in the languages that the note names. Without this script it stays as it is.
"use strict";

const LONGEST = 20_000; // characters of a block: hostile ones take the longer the more there are

for (const block of document.querySelectorAll(".n-code")) {
  const code = block.querySelector("code");
  const language = block.querySelector(".n-language")?.textContent;
  if (!code || !hljs.getLanguage(language) || code.textContent.length > LONGEST) continue;
  code.innerHTML = hljs.highlight(code.textContent, { language, ignoreIllegals: true }).value; // which escapes the code
}
