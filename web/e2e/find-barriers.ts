import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { SIZES } from "./visit.ts";

/** Brings axe to the page where it has none yet. Evaluated by the protocol, not as a script of the page: its policy would rightly refuse it. */
export async function bringAxe(page: Page): Promise<void> {
  if (await page.evaluate(() => "axe" in window)) return;
  await page.evaluate(await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** Which of axe's rules are tried. To compare the colours of every text takes longer than all the others. */
export type RuleChoice = "all" | "all but colours" | readonly string[];

/** What axe finds wrong with the page as it stands, said so that one can mend it. */
export async function findBarriers(page: Page, rules: RuleChoice): Promise<string[]> {
  // To describe everything that is as it should be takes longer than to look at it.
  const told = { resultTypes: ["violations"] };
  const options =
    rules === "all"
      ? told
      : rules === "all but colours"
        ? { ...told, rules: { "color-contrast": { enabled: false } } }
        : { ...told, runOnly: [...rules] };
  const violations = await page.evaluate(async (chosen) => {
    const { axe: tool } = window as unknown as {
      axe: { run(options: object): Promise<{ violations: Violation[] }> };
    };
    return (await tool.run(chosen)).violations;
  }, options);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary ?? ""}`),
  );
}

/** How far the page is wider than the window, once what follows the window's size has followed. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const { documentElement: root } = document;
    for (let frame = 0; frame < 60 && root.scrollWidth > root.clientWidth; frame++)
      await new Promise((resolve) => requestAnimationFrame(resolve));
    return root.scrollWidth - root.clientWidth;
  });
}

/** All rules on a desk in daylight; on a phone at night what depends on widths and colours. */
export async function expectNoBarriers(page: Page): Promise<void> {
  await bringAxe(page);
  for (const [size, theme, rules] of [
    ["phone", "dark", ["color-contrast", "target-size"]],
    ["desk", "light", "all"],
  ] as const) {
    await page.setViewportSize(SIZES[size]);
    await page.emulateMedia({ colorScheme: theme });
    expect(await overflowOf(page), `sideways scrolling on a ${size}`).toBeLessThanOrEqual(0);
    expect(await findBarriers(page, rules), `barriers on a ${size}, ${theme}`).toEqual([]);
  }
}
