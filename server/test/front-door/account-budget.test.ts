import { Secret } from "@trunkline/core/secret.ts";
import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { type MailServer, startMailServer } from "@trunkline/testing/mail-server.ts";
import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Customer, openCustomer } from "../support/customer.ts";
import { openMember } from "../support/member.ts";
import { type StartedService, startService, startSibling } from "../support/started-service.ts";

let service: StartedService;
let sibling: StartedService;
let provider: ScriptedProvider;
let mail: MailServer;

/** A model whose every answer costs a tenth of a credit. */
const TENTH = { input_per_1k_tokens: 0, output_per_1k_tokens: 0, per_request: 0.1 };

beforeAll(async () => {
  mail = await startMailServer();
  const withMail = { mail: { url: new Secret(mail.url), from: "Trunkline <no-reply@example.test>" } };
  service = await startService((config) => ({ ...config, ...withMail }));
  sibling = await startSibling(service);
  provider = await startProvider();
  await service.call("POST", "/v1/provider/models", registrationOf(provider, "tenth", { pricing: TENTH }));
  await service.call(
    "POST",
    "/v1/provider/models",
    registrationOf(provider, "free", { pricing: { input_per_1k_tokens: 0, output_per_1k_tokens: 0 } }),
  );
  await sibling.services.providers.catalogue.reload();
});

afterAll(async () => {
  await sibling.stop();
  await service.stop();
  await provider.stop();
  await mail.stop();
});

const SCOPES = ["inference", "read", "manage", "billing"];
const open = (credits: number, terms: Record<string, unknown> = {}) =>
  openCustomer(service, credits, { scopes: SCOPES, ...terms });
const budgetOf = (customer: Customer, method = "GET", body?: unknown) =>
  service.call(method, "/v1/billing/budget", body, { key: customer.key });
const ask = (key: string, model = "tenth", at = service) =>
  at.call("POST", "/v1/ai/request", { task: "chat", input: "Hello", model }, { key });
async function secondKeyOf(customer: Customer, terms: Record<string, unknown> = {}): Promise<string> {
  const made = await service.call("POST", `/v1/admin/accounts/${customer.id}/keys`, {
    name: "Second",
    scopes: ["inference"],
    ...terms,
  });
  return made.json.key;
}

describe("an account's budget", () => {
  it("is shared by all its keys and members, on every instance, and never exceeded", async () => {
    const customer = await open(10);
    const member = await openMember(service, "developer", customer.id);
    expect((await budgetOf(customer)).json).toMatchObject({ budget: null, spent: null, left: null });
    const set = await budgetOf(customer, "PUT", { limit: 0.5, period: "month" });
    expect(set.json).toMatchObject({ budget: { limit: 0.5, period: "month" }, spent: 0, left: 0.5 });
    const keys = [customer.key, await secondKeyOf(customer)];
    const answers = await Promise.all([
      ...Array.from({ length: 6 }, (_, index) => ask(keys[index % 2] ?? "", "tenth", index < 3 ? service : sibling)),
      member.call("POST", "/v1/ai/request", { task: "chat", input: "Hello", model: "tenth" }),
    ]);
    const served = answers.filter(({ status }) => status === 200);
    for (const refused of answers.filter(({ status }) => status !== 200)) {
      expectRefusal(refused, 402, "budget_exceeded");
      expect(refused.json.error.message).toContain("organisation's budget");
    }
    expect(served).toHaveLength(5);
    expect((await budgetOf(customer)).json).toMatchObject({ spent: 0.5, left: 0 });
    expect((await service.call("GET", "/v1/balance", undefined, { key: customer.key })).json.balance).toBe(9.5);
    // What costs nothing is still served.
    expect((await ask(customer.key, "free")).status).toBe(200);
  });

  it("holds beside the budget of a key, and each refusal says which is spent", async () => {
    const customer = await open(10);
    await budgetOf(customer, "PUT", { limit: 0.3, period: "day" });
    const limited = await secondKeyOf(customer, { budget: { limit: 0.1, period: "day" } });
    expect((await ask(limited)).status).toBe(200);
    const byKey = await ask(limited);
    expectRefusal(byKey, 402, "budget_exceeded");
    expect(byKey.json.error.message).toContain("this key's budget");
    for (let time = 0; time < 2; time++) expect((await ask(customer.key)).status).toBe(200);
    expect((await ask(customer.key)).json.error.message).toContain("organisation's budget");
  });

  it("can be raised, lowered below what was spent, and removed, at once", async () => {
    const customer = await open(10);
    await budgetOf(customer, "PUT", { limit: 0.1, period: "week" });
    expect((await ask(customer.key)).status).toBe(200);
    expect((await ask(customer.key)).status).toBe(402);
    await budgetOf(customer, "PUT", { limit: 0.3, period: "week" });
    expect((await ask(customer.key)).status).toBe(200);
    expect((await budgetOf(customer, "PUT", { limit: 0.05, period: "week" })).json).toMatchObject({
      spent: 0.2,
      left: 0,
    });
    expect((await ask(customer.key)).status).toBe(402);
    expect((await budgetOf(customer, "DELETE")).json).toMatchObject({ budget: null });
    expect((await ask(customer.key)).status).toBe(200);
  });

  it("alerts those who look after the bills by e-mail, unless they turn it off", async () => {
    const customer = await open(10);
    const owner = await openMember(service, "owner", customer.id);
    const developer = await openMember(service, "developer", customer.id);
    await budgetOf(customer, "PUT", { limit: 0.2, period: "month" });
    expect((await service.call("GET", "/v1/billing/alerts", undefined, { key: customer.key })).json.email).toBe(true);
    for (let time = 0; time < 2; time++) expect((await ask(customer.key)).status).toBe(200);
    const mailsTo = (email: string) => mail.mails.filter(({ to }) => to.includes(email));
    await expect
      .poll(() =>
        mailsTo(owner.email)
          .map(({ text }) => text)
          .join(),
      )
      .toContain("100 % of its budget");
    expect(mailsTo(owner.email)[0]?.text).toContain("Your organisation has spent $0.20 of $0.20");
    expect(mailsTo(developer.email)).toEqual([]);
    const off = await service.call("PATCH", "/v1/billing/alerts", { email: false }, { key: customer.key });
    expect(off.json).toMatchObject({ email: false, low_balance: null });
  });

  it.each([
    ["limit", { period: "month" }],
    ["limit", { limit: -1, period: "month" }],
    ["limit", { limit: 1e-10, period: "month" }],
    ["limit", { limit: "1", period: "month" }],
    ["period", { limit: 1 }],
    ["period", { limit: 1, period: "total" }],
    ["period", { limit: 1, period: "year" }],
  ])("refuses a wrong %s: %j", async (param, body) => {
    const answer = await budgetOf(await open(0), "PUT", body);
    expectRefusal(answer, 400, "invalid_request", { param });
  });

  it("is not set by a key that has a budget itself, nor by a developer", async () => {
    const customer = await open(1, { budget: { limit: 1, period: "month" } });
    expectRefusal(await budgetOf(customer, "PUT", { limit: 100, period: "month" }), 403, "insufficient_scope");
    expectRefusal(await budgetOf(customer, "DELETE"), 403, "insufficient_scope");
    const developer = await openMember(service, "developer", customer.id);
    expectRefusal(
      await developer.call("PUT", "/v1/billing/budget", { limit: 1, period: "day" }),
      403,
      "insufficient_role",
    );
  });
});
