import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openMember } from "../../server/test/support/member.ts";
import { call, type StartedService, startService } from "../../server/test/support/started-service.ts";
import { openChromium } from "./chromium.ts";
import { goTo, openVisitor, settle } from "./visit.ts";

let browser: Browser;
let service: StartedService;
let provider: ScriptedProvider;

beforeAll(async () => {
  [browser, service, provider] = await Promise.all([openChromium(), startService(), startProvider()]);
  await service.call("POST", "/v1/provider/models", registrationOf(provider, "paid"));
});

afterAll(async () => {
  await browser.close();
  await service.stop();
  await provider.stop();
});

/** What the provider's usual answer costs: 10 tokens in at 0.001 and 20 out at 0.002 for a thousand. */
const COST = 0.00005;
const COST_SHOWN = "0.00005";
const EMAIL = "ada@example.test";
const PASSWORD = "a quiet harbour at 6 in the morning";

/** Without a mail server the operator finds links in the log. */
async function linkInLog(path: string): Promise<string> {
  const find = () => new RegExp(`/${path}#[\\w-]+`).exec(service.logged())?.[0] ?? "";
  await expect.poll(find).not.toBe("");
  return find();
}

async function signUp(page: Page): Promise<void> {
  await page.goto("/sign-up");
  await page.getByLabel("Name", { exact: false }).first().fill("Ada");
  await page.getByLabel("Email address").fill(EMAIL);
  await page.getByLabel("Organisation").fill("Analytical Engines");
  await page.getByLabel(/^Password/).fill(PASSWORD);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("heading", { name: "Waiting for approval" }).waitFor();
  await page.goto(await linkInLog("verify"));
  await page.getByRole("button", { name: "Confirm" }).click();
  await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
  await settle(page);
}

async function makeKey(page: Page): Promise<string> {
  await page.getByRole("link", { name: "API keys", exact: true }).click();
  // The page before has a button of the same name.
  await page.getByRole("heading", { level: 1, name: "API keys" }).waitFor();
  await page.getByRole("button", { name: "Create key" }).first().click();
  const sheet = page.getByRole("dialog");
  await sheet.getByLabel("Name").fill("First key");
  await sheet.getByRole("button", { name: "Create key" }).click();
  const secret = await page.getByRole("dialog").getByLabel("Secret").inputValue();
  expect(secret).toMatch(/^tl_[0-9A-Za-z]{38}$/);
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("cell", { name: "First key" }).first().waitFor();
  return secret;
}

async function redeem(page: Page): Promise<void> {
  const codes = await service.call("POST", "/v1/admin/codes", { credits: 5, count: 1 });
  await page.getByRole("link", { name: "Billing", exact: true }).first().click();
  await page.getByRole("radio", { name: "Code", exact: true }).click();
  await page.getByLabel("Redeem a code").fill(codes.json.data[0].code);
  await page.getByRole("button", { name: "Redeem" }).click();
  await page.getByText("The balance is now $5").waitFor();
}

describe("somebody new", () => {
  it("signs up, makes a key, redeems a code, sends a request, and sees it everywhere without a reload", async () => {
    const { page: start, context, troubles } = await openVisitor(browser, service.url);
    await signUp(start);
    const key = await makeKey(start);
    await redeem(start);

    await start.getByRole("link", { name: "Home", exact: true }).click();
    const usage = await context.newPage();
    const requests = await context.newPage();
    await usage.goto("/usage");
    await requests.goto("/requests");
    for (const page of [start, usage, requests]) {
      await settle(page);
      await page.evaluate(() => Object.assign(window, { wasHere: true }));
      expect(await page.getByText(COST_SHOWN).count()).toBe(0);
    }

    const answer = await call(
      service.url,
      "POST",
      "/v1/ai/request",
      { task: "chat", input: "Hello", model: "paid" },
      { key },
    );
    expect(answer.json).toMatchObject({ output: "A plain answer.", cost: COST });

    for (const page of [start, usage, requests]) {
      await page.bringToFront();
      await page.getByText(COST_SHOWN).first().waitFor();
      expect(await page.evaluate(() => "wasHere" in window)).toBe(true);
    }
    await start.bringToFront();
    await start.getByText("First request received", { exact: false }).waitFor({ state: "attached" });
    await requests.bringToFront();
    await requests.getByText("operator/paid").first().click();
    await requests.getByRole("dialog").getByText(COST_SHOWN).first().waitFor();
    expect(troubles).toEqual([]);
    await context.close();
  });

  it("signs up without mail, is approved, asks for credits, gets them, and sends the first request", async () => {
    const { page, context, troubles } = await openVisitor(browser, service.url);
    await page.goto("/sign-up");
    await page.getByLabel("Name", { exact: false }).first().fill("Grace");
    await page.getByLabel("Email address").fill("grace@example.test");
    await page.getByLabel(/^Password/).fill(PASSWORD);
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByRole("heading", { name: "Waiting for approval" }).waitFor();

    const owner = await openMember(service, "owner", (await service.services.identity.accounts.findOperator())?.id);
    const operator = await openVisitor(browser, service.url, { member: owner });
    await goTo(operator.page, "/operator/accounts");
    await operator.page.getByRole("button", { name: "Approve grace@example.test" }).click();
    await operator.page.getByText("grace@example.test approved").waitFor();

    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    await page.getByRole("link", { name: "Billing", exact: true }).first().click();
    await page.getByLabel("What are the credits for?").fill("For a course of 30 students.");
    await page.getByRole("button", { name: "Send request" }).click();
    await page.getByText("Waiting for the operator").waitFor();

    await operator.page.getByText("For a course of 30 students.").waitFor();
    await operator.page.getByRole("button", { name: /^Grant credits to Grace/ }).click();
    const dialog = operator.page.getByRole("dialog");
    await dialog.getByLabel("Amount").fill("3");
    await dialog.getByLabel("Reply").fill("Enjoy the course.");
    await dialog.getByRole("button", { name: "Grant", exact: true }).click();
    await operator.page.getByText("$3.00 granted to").waitFor();

    await page.getByText("Reply from the operator: Enjoy the course.").waitFor();
    const key = await makeKey(page);
    const body = { task: "chat", input: "Hello", model: "paid" };
    const answer = await call(service.url, "POST", "/v1/ai/request", body, { key });
    expect(answer.json).toMatchObject({ output: "A plain answer.", cost: COST });
    expect([...troubles, ...operator.troubles]).toEqual([]);
    await context.close();
    await operator.context.close();
  });

  it("logs out, is turned away at the door, and comes back to where they wanted to go", async () => {
    const { page, context } = await openVisitor(browser, service.url);
    await page.goto("/billing");
    await page.waitForURL(/\/log-in\?next=/);
    await page.getByLabel("Email address").fill(EMAIL);
    await page.getByLabel(/^Password/).fill("not the password");
    await page.getByRole("button", { name: "Log in", exact: true }).click();
    await page.getByRole("alert").waitFor();
    await page.getByLabel(/^Password/).fill(PASSWORD);
    await page.getByRole("button", { name: "Log in", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Billing" }).waitFor();
    await context.close();
  });

  it("reads at the field of a form what is missing or refused, and is taken there", async () => {
    const { page, context } = await openVisitor(browser, service.url, { member: await openMember(service) });
    await goTo(page, "/settings/webhooks");
    await page.getByRole("button", { name: "Add webhook" }).click();
    const dialog = page.getByRole("dialog");
    const send = dialog.getByRole("button", { name: "Add webhook" });
    const url = dialog.getByLabel("URL");
    const isFocused = () => url.evaluate((element) => element === document.activeElement);
    await send.click();
    await dialog.getByText("This field is required.").waitFor();
    await expect.poll(isFocused).toBe(true);
    await url.fill("https://example.test/hooks");
    await dialog.getByRole("radio", { name: /^Selected events/ }).click();
    await send.click();
    await dialog.getByText("Select at least one event.").waitFor();
    await expect
      .poll(() =>
        dialog
          .getByRole("checkbox")
          .first()
          .evaluate((box) => box === document.activeElement),
      )
      .toBe(true);
    await dialog.getByRole("checkbox").first().click();
    await url.fill("http://10.0.0.1/hooks");
    await send.click();
    await dialog.getByText("The endpoint must be an https URL.").waitFor();
    await expect.poll(isFocused).toBe(true);
    await context.close();
  });

  it("logs in by a passkey that the browser keeps", async () => {
    const at = service.url.replace("127.0.0.1", "localhost");
    const { page, context } = await openVisitor(browser, at);
    const protocol = await context.newCDPSession(page);
    await protocol.send("WebAuthn.enable");
    await protocol.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await page.goto("/log-in?next=/settings/security");
    await page.getByLabel("Email address").fill(EMAIL);
    await page.getByLabel(/^Password/).fill(PASSWORD);
    await page.getByRole("button", { name: "Log in", exact: true }).click();
    await settle(page);
    await page.getByRole("button", { name: "Add passkey" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel(/^Name/).fill("Laptop");
    await dialog.getByRole("button", { name: "Continue" }).click();
    await page.getByText("Laptop").first().waitFor();
    await context.clearCookies();
    await page.goto("/log-in");
    // The form offers the passkey by itself as well, and this browser's owner says yes at once: either way leads in.
    const start = page.getByRole("heading", { level: 1, name: "Home" });
    const button = page.getByRole("button", { name: /passkey/i });
    await Promise.any([start.waitFor(), button.click()]);
    await start.waitFor();
    await context.close();
  });
});
