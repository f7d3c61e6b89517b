import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestMember } from "../../server/test/support/member.ts";
import { openChromium } from "./chromium.ts";
import { bringAxe, findBarriers, overflowOf } from "./find-barriers.ts";
import { type FurnishedService, startFurnishedService } from "./furnished-service.ts";
import { expectKeyboardUse } from "./keyboard-use.ts";
import { DOORS, PAGES } from "./pages.ts";
import { goTo, openVisitor, SIZES, settle, type Visitor } from "./visit.ts";

let browser: Browser;
let furnished: FurnishedService;
const visitors = new Map<TestMember | undefined, Promise<Visitor>>();

/** One window for each of them, as the browser keeps what it has loaded once. */
async function visitorOf(member?: TestMember): Promise<Visitor> {
  const opening = visitors.get(member) ?? openVisitor(browser, furnished.service.url, { member });
  visitors.set(member, opening);
  const visitor = await opening;
  visitor.troubles.length = 0;
  return visitor;
}

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
  /** undefined: everything is looked for; none: only how it fits the window. */
  readonly rules: readonly string[] | undefined;
}

const TWO_LOOKS: readonly Look[] = [
  { size: "phone", theme: "dark", rules: undefined },
  { size: "desk", theme: "light", rules: undefined },
];
/** Where there is little to see, what is there is the same on either. */
const LOOKS_AT_LITTLE: readonly Look[] = [
  { size: "phone", theme: "dark", rules: undefined },
  { size: "desk", theme: "light", rules: [] },
];
/** The other two differ from these in colours and in widths alone. The desk in daylight comes last, and stays. */
const FOUR_LOOKS: readonly Look[] = [
  { size: "phone", theme: "light", rules: ["color-contrast", "target-size"] },
  { size: "desk", theme: "dark", rules: ["color-contrast"] },
  ...TWO_LOOKS,
];

async function lookAtEverything({ page, troubles }: Visitor, path: string, looks: readonly Look[]): Promise<void> {
  await goTo(page, path);
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

describe("without barriers, overflow, harm or a refusal by the policy, on a desk and a phone, light and dark", () => {
  it.each(PAGES)("is $path, and used by keyboard alone", async ({ path, by }) => {
    const visitor = await visitorOf(furnished[by]);
    await lookAtEverything(visitor, path, FOUR_LOOKS);
    await expectKeyboardUse(visitor.page, path);
  });

  it.each(PAGES.filter(({ by }) => by === "owner"))("is $path where nothing has happened yet", async ({ path }) => {
    await lookAtEverything(await visitorOf(furnished.newcomer), path, LOOKS_AT_LITTLE);
  });

  it.each(DOORS)("is %s for a stranger, and used by keyboard alone", async (path) => {
    const visitor = await visitorOf();
    await lookAtEverything(visitor, path, TWO_LOOKS);
    await expectKeyboardUse(visitor.page, path);
  });
});
