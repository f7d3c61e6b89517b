import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openMember, type TestMember } from "../../server/test/support/member.ts";
import { chatAnswer, startWithOpenAi } from "../../server/test/support/openai-upstream.ts";
import type { Upstream } from "../../server/test/support/scripted-upstream.ts";
import type { StartedService } from "../../server/test/support/started-service.ts";
import { openChromium } from "./chromium.ts";
import { expectNoBarriers } from "./find-barriers.ts";
import { openVisitor, settle } from "./visit.ts";

let browser: Browser;
let service: StartedService;
let upstream: Upstream;
let owner: TestMember;

beforeAll(async () => {
  const [chromium, started] = await Promise.all([openChromium(), startWithOpenAi({})]);
  browser = chromium;
  ({ service, upstream } = started);
  upstream.answer(() => chatAnswer("Bonjour."));
  owner = await openMember(service);
});

afterAll(async () => {
  await browser.close();
  await service.stop();
  await upstream.close();
});

describe("the first steps", () => {
  it("lead from a provider's key to the first answered request of an app", async () => {
    const { page, troubles } = await openVisitor(browser, service.url, { member: owner });
    await page.goto("/");
    await page.getByText("0 of 4 done").waitFor();
    await settle(page);
    await expectNoBarriers(page);
    const began = Date.now();
    await page.getByLabel("Provider API key").fill("sk-proj-a-key-that-is-pasted");
    await page.getByRole("button", { name: "Connect provider" }).click();
    await page.getByText(/^\d+ models available$/).waitFor();
    await page.getByRole("button", { name: "Send message" }).click();
    await page.getByText("Bonjour.").waitFor();
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByLabel("Secret key").waitFor();
    await page.getByLabel("Insert the key you just created", { exact: false }).click();
    await expectNoBarriers(page);
    const code = await page.locator("pre").first().textContent();
    expect(code).toContain("/openai/v1/chat/completions");
    const { stdout } = await promisify(execFile)("sh", ["-c", code ?? ""]);
    expect(JSON.parse(stdout).choices[0].message.content).toBe("Bonjour.");
    await page.getByText("You're all set").waitFor();
    expect(Date.now() - began).toBeLessThan(60_000);
    await page.getByRole("link", { name: "View first request" }).click();
    await page.getByRole("dialog").getByText("200 OK").waitFor();
    expect(troubles).toEqual([]);
  });
});
