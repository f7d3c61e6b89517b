import { readFile, writeFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { openChromium } from "./chromium.ts";
import { PLAIN_WORDS, startFurnishedService } from "./furnished-service.ts";
import { type LoadFigures, measureLoad } from "./measure-load.ts";
import { DOORS, PAGES } from "./pages.ts";

const DOCUMENT = "docs/dashboard.md";
const HEADING = "## How fast is it?";
const ROUNDS = 3;
const MOST_SCRIPT_BYTES = 250_000;
const MOST_SHIFT = 0.02;

it("measures the first load of every page and writes it into the docs", async () => {
  const [browser, furnished] = await Promise.all([openChromium(), startFurnishedService(PLAIN_WORDS)]);
  const visits = [
    ...DOORS.map((path) => ({ path, member: undefined })),
    ...PAGES.map(({ path, by }) => ({ path, member: furnished[by] })),
  ];
  const rows: Row[] = [];
  const faults: string[] = [];
  for (const { path, member } of visits) {
    const runs: LoadFigures[] = [];
    for (let round = 0; round < ROUNDS; round++)
      runs.push(await measureLoad(browser, furnished.service.url, path, member));
    const phone = await measureLoad(browser, furnished.service.url, path, member, { size: "phone" });
    const row = { ...medianOf(runs), phoneShift: phone.layoutShift };
    const shift = Math.max(phone.layoutShift, ...runs.map(({ layoutShift }) => layoutShift));
    if (shift > MOST_SHIFT) faults.push(`${path} shifts by ${shift.toFixed(3)}`);
    if (row.scriptBytes > MOST_SCRIPT_BYTES) faults.push(`${path} loads ${row.scriptBytes} bytes of script`);
    rows.push(row);
  }
  const version = browser.version();
  await browser.close();
  await furnished.stop();
  const table = [
    "| page | script | all | requests | first paint | largest paint | ready | script time | longest task | layout shift | on a phone |",
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ...rows.map(rowOf),
  ].join("\n");
  process.stdout.write(`${table}\n`);
  const text = await readFile(DOCUMENT, "utf8");
  const start = text.indexOf(HEADING);
  const end = text.indexOf("\n## ", start + 1);
  expect(start).toBeGreaterThan(0);
  const section = `${HEADING}\n\nMeasured by \`npm run web:speed\` in headless Chromium ${version}, with an empty cache, on the service's own machine (2 shared cores): the median of ${ROUNDS} loads, of an organisation with a month of requests. Sizes are as sent, compressed.\n\n${table}\n`;
  await writeFile(DOCUMENT, text.slice(0, start) + section + (end === -1 ? "" : text.slice(end)));
  expect(faults).toEqual([]);
});

interface Row extends LoadFigures {
  /** The layout shift at 360 px. */
  readonly phoneShift: number;
}

function medianOf(runs: readonly LoadFigures[]): LoadFigures {
  const sorted = runs.toSorted((a, b) => a.readyMs - b.readyMs);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error("Nothing was measured.");
  return middle;
}

function rowOf(figures: Row): string {
  const kilobytes = (bytes: number) => `${Math.round(bytes / 1000)} kB`;
  const ms = (value: number) => `${Math.round(value)} ms`;
  return `| \`${figures.path}\` | ${kilobytes(figures.scriptBytes)} | ${kilobytes(figures.allBytes)} | ${figures.requests} | ${ms(figures.firstPaintMs)} | ${ms(figures.largestPaintMs)} | ${ms(figures.readyMs)} | ${ms(figures.scriptMs)} | ${ms(figures.longestTaskMs)} | ${figures.layoutShift.toFixed(3)} | ${figures.phoneShift.toFixed(3)} |`;
}
