import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openChromium } from "./chromium.ts";
import { type FurnishedService, startFurnishedService } from "./furnished-service.ts";
import { DOORS, PAGES } from "./pages.ts";
import { goTo, openVisitor, SIZES, settle, type Visitor } from "./visit.ts";

let browser: Browser;
let furnished: FurnishedService;
let axe: string;

beforeAll(async () => {
  [browser, furnished, axe] = await Promise.all([
    openChromium(),
    startFurnishedService(),
    readFile(createRequire(import.meta.url).resolve("axe-core"), "utf8"),
  ]);
}, 120_000);

afterAll(async () => {
  await browser.close();
  await furnished.stop();
});

/** Everything is looked for in two of the looks; the other two differ from them in colours and in widths alone. */
const LOOKS = [
  { size: "desk", theme: "light", rules: undefined },
  { size: "desk", theme: "dark", rules: ["color-contrast"] },
  { size: "phone", theme: "light", rules: ["color-contrast", "target-size"] },
  { size: "phone", theme: "dark", rules: undefined },
] as const;

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** What axe finds wrong with the page as it stands, said so that one can mend it. */
async function findBarriers(page: Page, rules: readonly string[] | undefined): Promise<string[]> {
  const violations = await page.evaluate(async (only) => {
    const { axe: tool } = window as unknown as {
      axe: { run(options: object): Promise<{ violations: Violation[] }> };
    };
    return (await tool.run(only === undefined ? {} : { runOnly: [...only] })).violations;
  }, rules);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary ?? ""}`),
  );
}

async function lookAtEverything({ page, troubles }: Visitor, path: string): Promise<void> {
  await goTo(page, path);
  // Evaluated by the protocol, not as a script of the page: the page's policy would rightly refuse it.
  await page.evaluate(axe);
  for (const { size, theme, rules } of LOOKS) {
    const look = `${path} ${size} ${theme}`;
    await page.setViewportSize(SIZES[size]);
    await page.emulateMedia({ colorScheme: theme });
    await settle(page);
    expect(await page.locator("h1").count(), `one h1 on ${look}`).toBe(1);
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow, `sideways scrolling on ${look}`).toBeLessThanOrEqual(0);
    expect(await findBarriers(page, rules), `barriers on ${look}`).toEqual([]);
  }
  const harm = await page.evaluate(() => ({
    harmed: "harmed" in window,
    links: document.querySelectorAll('a[href^="javascript:" i], iframe, object, embed').length,
  }));
  expect(harm, `harm done on ${path}`).toEqual({ harmed: false, links: 0 });
  expect(troubles, `troubles on ${path}`).toEqual([]);
}

describe("without barriers, overflow, harm or a refusal by the policy, on a desk and a phone, light and dark", () => {
  it.each(PAGES)("is $path", async ({ path, by }) => {
    const visitor = await openVisitor(browser, furnished.service.url, { member: furnished[by] });
    await lookAtEverything(visitor, path);
    await visitor.context.close();
  });

  it.each(PAGES.filter(({ by }) => by === "owner"))(
    "is $path where nothing has happened yet",
    async ({ path }) => {
      const visitor = await openVisitor(browser, furnished.service.url, { member: furnished.newcomer });
      await lookAtEverything(visitor, path);
      await visitor.context.close();
    },
  );

  it.each(DOORS)("is %s for a stranger", async (path) => {
    const visitor = await openVisitor(browser, furnished.service.url);
    await lookAtEverything(visitor, path);
    await visitor.context.close();
  });
});
