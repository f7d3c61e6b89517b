import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openChromium } from "./chromium.ts";
import { bringAxe, findBarriers, overflowOf } from "./find-barriers.ts";
import { type FurnishedService, startFurnishedService } from "./furnished-service.ts";
import { expectKeyboardUse } from "./keyboard-use.ts";
import { DOORS, PAGES } from "./pages.ts";
import { followLink, goTo, SIZES, settle, type Visitor, Visitors } from "./visit.ts";

let browser: Browser;
let furnished: FurnishedService;
const visitors = new Visitors(() => ({ browser, url: furnished.service.url }));

beforeAll(async () => {
  [browser, furnished] = await Promise.all([openChromium(), startFurnishedService()]);
});

afterAll(async () => {
  await browser.close();
  await furnished.stop();
});

interface Look {
  readonly size: keyof typeof SIZES;
  readonly theme: "light" | "dark";
  /** undefined: all rules; none: only whether it fits the window. */
  readonly rules: readonly string[] | undefined;
}

/** Beside what all rules find on a desk in daylight, a phone at night differs in widths and in colours alone. */
const LOOKS: readonly Look[] = [
  { size: "phone", theme: "dark", rules: ["color-contrast", "target-size"] },
  { size: "desk", theme: "light", rules: undefined },
];
/** Where there is little to see, the colours are those that the full page has. */
const LOOKS_AT_LITTLE: readonly Look[] = [
  { size: "phone", theme: "dark", rules: [] },
  { size: "desk", theme: "light", rules: undefined },
];

async function lookAtEverything({ page, troubles }: Visitor, path: string, looks: readonly Look[]): Promise<void> {
  if (page.url().startsWith("http")) await followLink(page, path);
  else await goTo(page, path);
  await bringAxe(page);
  for (const { size, theme, rules } of looks) {
    const look = `${path} ${size} ${theme}`;
    await page.setViewportSize(SIZES[size]);
    await page.emulateMedia({ colorScheme: theme });
    await settle(page);
    expect(await page.locator("h1").count(), `one h1 on ${look}`).toBe(1);
    expect(await overflowOf(page), `sideways scrolling on ${look}`).toBeLessThanOrEqual(0);
    if (rules?.length !== 0) expect(await findBarriers(page, rules), `barriers on ${look}`).toEqual([]);
  }
  const harm = await page.evaluate(() => ({
    harmed: "harmed" in window,
    links: document.querySelectorAll('a[href^="javascript:" i], iframe, object, embed').length,
  }));
  expect(harm, `harm done on ${path}`).toEqual({ harmed: false, links: 0 });
  expect(troubles, `troubles on ${path}`).toEqual([]);
}

describe("without barriers, overflow, harm or a refusal by the policy, on a desk by day and a phone by night", () => {
  it.each(PAGES)("is $path, and used by keyboard alone", async ({ path, by }) => {
    const visitor = await visitors.of(furnished[by]);
    await lookAtEverything(visitor, path, LOOKS);
    await expectKeyboardUse(visitor.page, path);
  });

  it.each(PAGES.filter(({ by }) => by === "owner"))("is $path where nothing has happened yet", async ({ path }) => {
    await lookAtEverything(await visitors.of(furnished.newcomer), path, LOOKS_AT_LITTLE);
  });

  it.each(DOORS)("is %s for a stranger, and used by keyboard alone", async (path) => {
    const visitor = await visitors.of();
    await lookAtEverything(visitor, path, LOOKS);
    await expectKeyboardUse(visitor.page, path);
  });
});
