import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openMember } from "../../server/test/support/member.ts";
import { type StartedService, startService } from "../../server/test/support/started-service.ts";
import { openChromium } from "./chromium.ts";
import { openVisitor } from "./visit.ts";

let browser: Browser;
let service: StartedService;

beforeAll(async () => {
  [browser, service] = await Promise.all([openChromium(), startService()]);
});

afterAll(async () => {
  await browser.close();
  await service.stop();
});

describe("while the service can't be reached", () => {
  it("the page says so, keeps its frame on a page that was never loaded, and goes on by itself", async () => {
    const { page, context } = await openVisitor(browser, service.url, { member: await openMember(service) });
    await page.goto("/requests");
    await page.getByRole("heading", { level: 1, name: "Requests" }).waitFor();
    const banner = page.getByText("Can't reach Trunkline.");
    expect(await banner.isVisible()).toBe(false);

    await context.route("**/*", (route) => route.abort("connectionrefused"));
    await banner.waitFor();
    await page.getByRole("link", { name: "Safety", exact: true }).click();
    await page.getByText("This page couldn't be loaded").waitFor();
    expect(await page.getByRole("link", { name: "Home", exact: true }).isVisible()).toBe(true);

    await context.unroute("**/*");
    await page.getByRole("heading", { level: 1, name: "Safety" }).waitFor();
    await banner.waitFor({ state: "hidden" });
    await context.close();
  });
});

describe("an address that leads nowhere", () => {
  it.each(["/nowhere", "/operator/accounts"])("keeps the frame, and tells strangers no more: %s", async (path) => {
    const { page, context } = await openVisitor(browser, service.url, { member: await openMember(service) });
    await page.goto(path);
    await page.getByRole("heading", { level: 1, name: "Page not found" }).waitFor();
    expect(await page.getByRole("navigation", { name: "Main" }).isVisible()).toBe(true);
    expect(await page.getByRole("link", { name: "Operator", exact: true }).count()).toBe(0);
    await context.close();
  });
});
