import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openMember } from "../../server/test/support/member.ts";
import { type StartedService, startService } from "../../server/test/support/started-service.ts";
import { openChromium } from "./chromium.ts";
import { measureLoad } from "./measure-load.ts";

let browser: Browser;
let service: StartedService;

beforeAll(async () => {
  [browser, service] = await Promise.all([openChromium(), startService()]);
});

afterAll(async () => {
  await browser.close();
  await service.stop();
});

const BUDGET_BYTES = 250_000;
/** Those that load the most; `npm run web:speed` measures all. */
const HEAVY = ["/log-in", "/", "/usage", "/requests", "/playground", "/models", "/routing"];

it.each(HEAVY)("the first load of %s takes less than 250 kB of compressed script", async (path) => {
  const member = path === "/log-in" ? undefined : await openMember(service);
  const { scriptBytes } = await measureLoad(browser, service.url, path, member);
  expect(scriptBytes).toBeGreaterThan(10_000);
  expect(scriptBytes).toBeLessThan(BUDGET_BYTES);
});
