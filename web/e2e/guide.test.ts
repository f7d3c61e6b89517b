import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type StartedService, startService } from "../../server/test/support/started-service.ts";
import { openChromium } from "./chromium.ts";
import { expectNoBarriers } from "./find-barriers.ts";
import { openVisitor, SIZES } from "./visit.ts";

let browser: Browser;
let service: StartedService;

beforeAll(async () => {
  [browser, service] = await Promise.all([openChromium(), startService()]);
});
afterAll(async () => {
  await browser.close();
  await service.stop();
});

describe("the documentation in a browser", () => {
  it("finds a section by words and opens it", async () => {
    const { page, context, troubles } = await openVisitor(browser, service.url);
    await page.goto("/guide/");
    await page.keyboard.press("/");
    await page.keyboard.type("retry safely without paying twice");
    await page.locator("#results a").first().waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/api.html#idempotency-how-do-i-retry-safely-without-paying-twice");
    await page.fill("#search", "xyzzyplugh");
    await page.getByText("Nothing found for “xyzzyplugh”.").waitFor();
    expect(troubles).toEqual([]);
    await context.close();
  });

  it("keeps a chosen theme, which is also the dashboard's", async () => {
    const { page, context } = await openVisitor(browser, service.url);
    await page.goto("/guide/money.html");
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await background();
    await page.click("#theme");
    const dark = await background();
    expect(dark).not.toBe(light);
    await page.reload();
    expect(await background()).toBe(dark);
    expect(await page.evaluate(() => localStorage.getItem("theme"))).toBe("dark");
    await context.close();
  });

  it("fits a phone and has no barriers, light and dark", async () => {
    const { page, context, troubles } = await openVisitor(browser, service.url);
    for (const path of ["", "quick-start.html", "api.html", "errors.html", "benchmarks.html", "no-such-page.html"]) {
      await page.setViewportSize(SIZES.phone);
      await page.goto(`/guide/${path}`);
      await page.click("#menu");
      expect(await page.locator("#sidebar").isVisible(), path).toBe(true);
      await expectNoBarriers(page);
    }
    expect(troubles).toEqual([]);
    await context.close();
  });
});
