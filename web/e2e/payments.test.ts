import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openCustomer } from "../../server/test/support/customer.ts";
import { openMember, type TestMember } from "../../server/test/support/member.ts";
import { type StartedService, startService } from "../../server/test/support/started-service.ts";
import { StripeStandIn } from "../../server/test/support/stripe-stand-in.ts";
import { openChromium } from "./chromium.ts";
import { openVisitor } from "./visit.ts";

let browser: Browser;
let service: StartedService;
let stripe: StripeStandIn;
let owner: TestMember;
let operator: TestMember;

beforeAll(async () => {
  [browser, stripe] = await Promise.all([openChromium(), StripeStandIn.start()]);
  service = await startService(stripe.configure);
  stripe.serviceUrl = service.url;
  const customer = await openCustomer(service, 0, { name: "Web shop" });
  owner = await openMember(service, "owner", customer.id);
  operator = await openMember(service, "owner", (await service.services.identity.accounts.findOperator())?.id);
});
afterAll(async () => {
  await browser.close();
  await service.stop();
  await stripe.stop();
});

/** Takes a picture where a folder for pictures is named. */
const SHOTS = process.env.SCREENSHOTS;

describe("adding credits in a browser", () => {
  it("buys them by card in two clicks, saves the card, and redeems a code; the balance follows by itself", async () => {
    for (const theme of ["light", "dark"] as const) {
      const { context, page } = await openVisitor(browser, service.url, { member: owner, theme });
      const before = theme === "light" ? 0 : 30;
      await page.goto("/billing");
      await page.getByRole("checkbox", { name: "Save card for automatic top-ups" }).click();
      await page.getByRole("button", { name: "Pay $25" }).click();
      await page.getByRole("button", { name: "Pay 25 usd" }).click();
      await page.getByText(/^\$?25(\.00)?.* added$/).waitFor();
      const balance = page.locator("h2", { hasText: "Balance" }).locator("..");
      await balance
        .getByText(new RegExp(`${before + 25}\\.00`))
        .first()
        .waitFor();
      if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/billing-${theme}.png`, fullPage: true });

      const { json } = await service.call("POST", "/v1/admin/codes", { credits: 5 });
      await page.getByRole("radio", { name: "Code", exact: true }).click();
      await page.getByLabel("Redeem a code").fill(json.data[0].code);
      await page.getByRole("button", { name: "Redeem", exact: true }).click();
      await balance
        .getByText(new RegExp(`${before + 30}\\.00`))
        .first()
        .waitFor();
      await context.close();
    }
    expect((await owner.call("GET", "/v1/billing/summary")).json.balance).toBe(60);
  });

  it("shows the operator every payment", async () => {
    stripe.addForeignPayment(700);
    for (const theme of ["light", "dark"] as const) {
      const { context, page, troubles } = await openVisitor(browser, service.url, { member: operator, theme });
      await page.goto("/operator/payments");
      await page.getByRole("table", { name: "Card payments" }).waitFor();
      expect(await page.getByText("Paid", { exact: true }).count()).toBeGreaterThanOrEqual(2);
      if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/payments-${theme}.png`, fullPage: true });
      expect(troubles).toEqual([]);
      await context.close();
    }
  });
});
