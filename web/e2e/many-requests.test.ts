import { newId } from "@trunkline/core/id.ts";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openDatabase } from "../../server/src/store/database/database.ts";
import { openMember, type TestMember } from "../../server/test/support/member.ts";
import { type StartedService, startService } from "../../server/test/support/started-service.ts";
import { openChromium } from "./chromium.ts";
import { goTo, openVisitor } from "./visit.ts";

const REQUESTS = 100_000;
const BATCH = 10_000;
/** A screen's worth and some around it: how many rows are drawn must not grow with how many there are. */
const MOST_DRAWN = 120;

let browser: Browser;
let service: StartedService;
let owner: TestMember;

beforeAll(async () => {
  [browser, service] = await Promise.all([openChromium(), startService()]);
  owner = await openMember(service);
  await fillLog();
});

afterAll(async () => {
  await browser.close();
  await service.stop();
});

/** A request a second until now. */
async function fillLog(): Promise<void> {
  const database = openDatabase(service.address, () => undefined, { connections: 1 });
  const now = Date.now();
  for (let done = 0; done < REQUESTS; done += BATCH) {
    const moments = Array.from({ length: BATCH }, (_, place) => now - (REQUESTS - done - place) * 1_000);
    await database.query(
      `INSERT INTO requests (id, account_id, key_id, path, task, model, provider, status, input_tokens, output_tokens,
         usage_source, price_version, held, cost, latency_ms, detail, created_at)
       SELECT id, $2, $3, '/v1/generate', 'chat', 'plain', 'acme', 200, 10, 20, 'own', '1', 50000, 50000, 12, '{}', at
       FROM unnest($1::uuid[], $4::timestamptz[]) AS log (id, at)`,
      [moments.map((moment) => newId(moment)), owner.accountId, newId(), moments.map((moment) => new Date(moment))],
    );
  }
  await database.close();
}

const drawnRows = (page: Page) => page.getByText("acme/plain").count();

/** Goes to the end of the longest list on the page; says how tall the list is. */
const scrollToEnd = (page: Page) =>
  page.evaluate(() => {
    const frames = [...document.querySelectorAll<HTMLElement>("*")].filter(
      (element) => element.scrollHeight > element.clientHeight + 50 && element.clientHeight > 200,
    );
    const frame = frames.toSorted((a, b) => b.scrollHeight - a.scrollHeight)[0] ?? document.documentElement;
    frame.scrollTop = frame.scrollHeight;
    return frame.scrollHeight;
  });

it("a log of 100,000 requests is drawn a screen at a time, however far one scrolls", async () => {
  const { page, context, troubles } = await openVisitor(browser, service.url, { member: owner });
  await goTo(page, "/requests");
  await page.getByText("acme/plain").first().waitFor();
  let height = 0;
  for (let step = 0; step < 25; step++) {
    expect(await drawnRows(page)).toBeLessThan(MOST_DRAWN);
    // The end of what is loaded: there the next page is fetched, and the list grows.
    await expect.poll(() => scrollToEnd(page)).toBeGreaterThan(height);
    height = await scrollToEnd(page);
    await page.getByText("acme/plain").first().waitFor();
  }
  expect(height).toBeGreaterThan(10_000);
  expect(await drawnRows(page)).toBeGreaterThan(5);
  expect(troubles).toEqual([]);
  await context.close();
});
