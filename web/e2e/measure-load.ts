import type { Browser } from "playwright-core";
import type { TestMember } from "../../server/test/support/member.ts";
import { openVisitor, settle, type VisitorTerms } from "./visit.ts";

/** What it took to show a page for the first time, with an empty cache. */
export interface LoadFigures {
  readonly path: string;
  /** As sent over the wire, compressed. */
  readonly scriptBytes: number;
  readonly allBytes: number;
  readonly requests: number;
  readonly firstPaintMs: number;
  readonly largestPaintMs: number;
  /** Until everything that the page shows was there. */
  readonly readyMs: number;
  readonly scriptMs: number;
  readonly layoutShift: number;
  readonly longestTaskMs: number;
}

/** Opens a page in a fresh window and measures. */
export async function measureLoad(
  browser: Browser,
  url: string,
  path: string,
  member: TestMember | undefined,
  { size = "desk", locale = "en-GB" }: Pick<VisitorTerms, "size" | "locale"> = {},
): Promise<LoadFigures> {
  const { page, context } = await openVisitor(browser, url, { member, size, locale });
  const protocol = await context.newCDPSession(page);
  await protocol.send("Network.enable");
  await protocol.send("Performance.enable");
  const types = new Map<string, string>();
  let scriptBytes = 0;
  let allBytes = 0;
  protocol.on("Network.responseReceived", ({ requestId, type }) => types.set(requestId, type));
  protocol.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    allBytes += encodedDataLength;
    if (types.get(requestId) === "Script") scriptBytes += encodedDataLength;
  });
  await page.addInitScript(() => {
    const seen = { largest: 0, shift: 0, longest: 0 };
    Object.assign(window, { seen });
    const watch = (type: string, note: (entry: PerformanceEntry) => void) =>
      new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true });
    watch("largest-contentful-paint", (entry) => {
      seen.largest = entry.startTime;
    });
    watch("layout-shift", (entry) => {
      seen.shift += (entry as PerformanceEntry & { value: number }).value;
    });
    watch("longtask", (entry) => {
      seen.longest = Math.max(seen.longest, entry.duration);
    });
  });
  const began = performance.now();
  await page.goto(path);
  await settle(page);
  const readyMs = performance.now() - began;
  const { metrics } = await protocol.send("Performance.getMetrics");
  const seen = await page.evaluate(() => {
    const { seen: noted } = window as unknown as {
      seen: { largest: number; shift: number; longest: number };
    };
    const paint = performance.getEntriesByName("first-contentful-paint")[0];
    return { ...noted, paint: paint?.startTime ?? 0 };
  });
  await context.close();
  return {
    path,
    scriptBytes,
    allBytes,
    requests: types.size,
    firstPaintMs: seen.paint,
    largestPaintMs: seen.largest,
    readyMs,
    scriptMs: (metrics.find(({ name }) => name === "ScriptDuration")?.value ?? 0) * 1000,
    layoutShift: seen.shift,
    longestTaskMs: seen.longest,
  };
}
