import { existsSync } from "node:fs";
import { ensureProgram } from "@trunkline/testing/system-package.ts";
import { type Browser, chromium } from "playwright-core";

/** The engine without windows, which takes less time. */
export const HEADLESS = "/usr/bin/chromium-headless-shell";
/** Where systems put it. `CHROMIUM` names another. */
const PLACES = [
  process.env.CHROMIUM,
  HEADLESS,
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

/** Where a browser is; undefined: there is none yet. */
export function findChromium(): string | undefined {
  return PLACES.find((place) => place !== undefined && existsSync(place));
}

/** Where the browser is: out of the system's packages where there was none. Fails loudly where that can't be. */
function chromiumPath(): string {
  const path = findChromium();
  if (path !== undefined) return path;
  ensureProgram(HEADLESS);
  return HEADLESS;
}

/** Starts the browser with an empty profile. */
export function openChromium(): Promise<Browser> {
  const isRoot = process.getuid?.() === 0;
  return chromium.launch({
    executablePath: chromiumPath(),
    args: [...QUIETLY, ...(isRoot ? ["--no-sandbox"] : [])],
  });
}
