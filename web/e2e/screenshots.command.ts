import { mkdir } from "node:fs/promises";
import { expect, it } from "vitest";
import { openChromium } from "./chromium.ts";
import { PLAIN_WORDS, startFurnishedService } from "./furnished-service.ts";
import { DOORS, PAGES } from "./pages.ts";
import { goTo, openVisitor, SIZES } from "./visit.ts";

/** The pictures that the README and docs/dashboard.md show; all others are for looking at, and stay out of the repository. */
const SHOWN = new Set(["start-desk-light", "usage-desk-dark", "requests-desk-light", "playground-desk-dark"]);
const README_FOLDER = "docs/images";
const FOLDER = process.env.SCREENSHOTS ?? "coverage/screenshots";

const nameOf = (path: string) => (path === "/" ? "start" : path.slice(1).replaceAll(/[/?=]/g, "-"));

it("takes a picture of every page, on a desk and a phone, light and dark", async () => {
  await mkdir(README_FOLDER, { recursive: true });
  await mkdir(FOLDER, { recursive: true });
  const [browser, furnished] = await Promise.all([openChromium(), startFurnishedService(PLAIN_WORDS)]);
  const visits = [
    ...PAGES.map(({ path, by }) => ({ path, who: by, member: furnished[by], suffix: "" })),
    ...PAGES.filter(({ by }) => by === "owner").map(({ path }) => ({
      path,
      member: furnished.newcomer,
      suffix: "-empty",
    })),
    ...DOORS.map((path) => ({ path, member: undefined, suffix: "" })),
  ];
  let taken = 0;
  for (const size of Object.keys(SIZES) as (keyof typeof SIZES)[]) {
    for (const theme of ["light", "dark"] as const) {
      for (const { path, member, suffix } of visits) {
        const { page, context } = await openVisitor(browser, furnished.service.url, { member, size, theme });
        await goTo(page, path);
        const name = `${nameOf(path)}${suffix}-${size}-${theme}`;
        await page.screenshot({ path: `${SHOWN.has(name) ? README_FOLDER : FOLDER}/${name}.png` });
        await context.close();
        taken++;
      }
    }
  }
  await browser.close();
  await furnished.stop();
  expect(taken).toBe(visits.length * 4);
});
