import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sealLedger } from "../../server/src/store/ledger/seal-ledger.ts";
import { openCustomer } from "../../server/test/support/customer.ts";
import { openMember, type TestMember } from "../../server/test/support/member.ts";
import { registerAsOtherAccount } from "../../server/test/support/other-accounts-model.ts";
import { type StartedService, startService } from "../../server/test/support/started-service.ts";
import { openChromium } from "./chromium.ts";
import { expectNoBarriers } from "./find-barriers.ts";
import { SIZES, Visitors } from "./visit.ts";

let browser: Browser;
let service: StartedService;
let provider: ScriptedProvider;
let owner: TestMember;
let operator: TestMember;

beforeAll(async () => {
  [browser, service, provider] = await Promise.all([openChromium(), startService(), startProvider()]);
  const account = await openCustomer(service, 0);
  const client = await openCustomer(service, 100);
  const pricing = { input_per_1k_tokens: 1_000, output_per_1k_tokens: 1_000 };
  await registerAsOtherAccount(service, account, registrationOf(provider, "heron", { pricing }), "active");
  const body = { input: "Hello", model: `${account.provider}/heron`, parameters: { max_tokens: 20 } };
  const answer = await service.call("POST", "/v1/generate", body, { key: client.key });
  expect(answer.status, answer.text).toBe(200);
  await sealLedger(service.database);
  await service.services.ledger.providerEarnings.collect(100_000);
  owner = await openMember(service, "owner", account.id);
  operator = await openMember(service, "owner", (await service.services.identity.accounts.findOperator())?.id);
});
afterAll(async () => {
  await browser.close();
  await service.stop();
  await provider.stop();
});

const visitors = new Visitors(() => ({ browser, url: service.url }));

/** Pictures to look at, where a folder is named. */
async function photograph(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder === undefined) return;
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: `${folder}/${name}-${colorScheme}.png` });
  }
  await page.setViewportSize(SIZES.phone);
  await page.screenshot({ path: `${folder}/${name}-phone.png`, fullPage: true });
  await page.setViewportSize(SIZES.desk);
  await page.emulateMedia({ colorScheme: "light" });
}

it("lets a provider ask for a payout, and the operator approve it and mark it as paid", async () => {
  const { page, troubles } = await visitors.at(owner, "/earnings");
  expect(await page.getByRole("button", { name: "Request payout" }).isDisabled()).toBe(true);
  await page.getByRole("button", { name: "Add destination" }).click();
  await page.getByLabel("Account holder and number").fill("Heron Ltd, DE02 1203 0000 0000 2020 51");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Request payout" }).click();
  await page.getByText("Awaiting approval").waitFor();
  await expectNoBarriers(page);
  await photograph(page, "earnings");

  const operators = await visitors.at(operator, "/operator/payouts");
  await operators.page.getByText("Heron Ltd").waitFor();
  await photograph(operators.page, "payouts");
  await operators.page.getByRole("button", { name: "Approve" }).click();
  await operators.page.getByRole("button", { name: "Approve payout" }).click();
  await operators.page.getByRole("radio", { name: "To pay" }).click();
  await operators.page.getByRole("button", { name: "Mark as paid" }).click();
  await photograph(operators.page, "paid");
  await operators.page.getByLabel("Bank reference").fill("SEPA-1");
  await operators.page.getByRole("dialog").getByRole("button", { name: "Mark as paid" }).click();
  await operators.page.getByRole("radio", { name: "Paid" }).click();
  await operators.page.getByText("SEPA-1").waitFor();
  await expectNoBarriers(operators.page);

  await page.reload();
  await page.getByText("SEPA-1").waitFor();
  expect([...troubles, ...operators.troubles]).toEqual([]);
});
