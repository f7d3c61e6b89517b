import { addSearch } from "./search.ts";
import { addTheme, applyTheme } from "./theme.ts";

// Before the page is painted.
applyTheme();

document.addEventListener("DOMContentLoaded", () => {
  addTheme();
  addMenu();
  addSearch();
  addCopyButtons();
});

/** The button that opens the list of pages on narrow screens. */
function addMenu(): void {
  const button = document.querySelector<HTMLButtonElement>("#menu");
  button?.addEventListener("click", () => {
    const isOpen = document.body.classList.toggle("menu-open");
    button.setAttribute("aria-expanded", String(isOpen));
  });
  document.querySelector('#sidebar [aria-current="page"]')?.scrollIntoView({ block: "nearest" });
}

function addCopyButtons(): void {
  for (const code of document.querySelectorAll("pre > code")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(code.textContent ?? "");
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), 1_500);
    });
    const frame = document.createElement("div");
    frame.className = "code";
    code.parentElement?.replaceWith(frame);
    if (code.parentElement !== null) frame.append(code.parentElement, button);
  }
}
