import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

/** Brings axe to the page. Evaluated by the protocol, not as a script of the page: its policy would rightly refuse it. */
export async function bringAxe(page: Page): Promise<void> {
  await page.evaluate(await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** What axe finds wrong with the page as it stands, said so that one can mend it. */
export async function findBarriers(page: Page, rules?: readonly string[]): Promise<string[]> {
  const violations = await page.evaluate(async (only) => {
    const { axe: tool } = window as unknown as {
      axe: { run(options: object): Promise<{ violations: Violation[] }> };
    };
    // To describe everything that is as it should be takes longer than to look at it.
    const told = { resultTypes: ["violations"] };
    return (await tool.run(only === undefined ? told : { ...told, runOnly: [...only] })).violations;
  }, rules);
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
