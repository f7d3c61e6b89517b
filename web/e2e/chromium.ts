import { existsSync } from "node:fs";
import { ensureProgram } from "@trunkline/testing/system-package.ts";
import { type Browser, chromium } from "playwright-core";

/** Where systems put it. `CHROMIUM` names another. */
const PLACES = [
  process.env.CHROMIUM,
  // The same engine without windows, which takes less time.
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/** Chromium is asked for nothing but the page: no updates, no reports, no look-ups of its maker's hosts. */
const QUIETLY = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Where the browser is. Throws where there is none, with what to do about it. */
export function chromiumPath(): string {
  const path = PLACES.find((place) => place !== undefined && existsSync(place));
  if (path === undefined)
    throw new Error("The browser tests need Chromium. Install it, or name it in the variable CHROMIUM.");
  return path;
}

/** Makes sure of a browser: out of the system's packages where there is none. Fails loudly where that can't be. */
export function ensureChromium(): void {
  if (PLACES.some((place) => place !== undefined && existsSync(place))) return;
  ensureProgram("/usr/bin/chromium-headless-shell", "chromium-headless-shell");
}

/** Starts the browser with an empty profile. */
export function openChromium(): Promise<Browser> {
  const isRoot = process.getuid?.() === 0;
  return chromium.launch({
    executablePath: chromiumPath(),
    args: [...QUIETLY, ...(isRoot ? ["--no-sandbox"] : [])],
  });
}
