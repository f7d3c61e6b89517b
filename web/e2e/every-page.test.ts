import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openChromium } from "./chromium.ts";
import { bringAxe, findBarriers, overflowOf, type RuleChoice } from "./find-barriers.ts";
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
  /** "all", some, or none: then only whether it fits the window. */
  readonly rules: RuleChoice;
}

/** Beside what all rules find on a desk in daylight, a phone at night differs in widths and in colours alone. */
const LOOKS: readonly Look[] = [
  { size: "phone", theme: "dark", rules: ["color-contrast", "target-size"] },
  { size: "desk", theme: "light", rules: "all" },
];
/** Where there is little to see, the colours are those of the full page and of the other empty ones. */
const LOOKS_AT_LITTLE: readonly Look[] = [
  { size: "phone", theme: "dark", rules: [] },
  { size: "desk", theme: "light", rules: "all but colours" },
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
    if (rules.length !== 0) expect(await findBarriers(page, rules), `barriers on ${look}`).toEqual([]);
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
    const looks = path === "/keys" ? LOOKS : LOOKS_AT_LITTLE;
    await lookAtEverything(await visitors.of(furnished.newcomer), path, looks);
  });

  it.each(DOORS)("is %s for a stranger, and used by keyboard alone", async (path) => {
    const visitor = await visitors.of();
    await lookAtEverything(visitor, path, LOOKS);
    await expectKeyboardUse(visitor.page, path);
  });
});
