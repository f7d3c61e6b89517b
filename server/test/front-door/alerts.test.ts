import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { isSignedWith } from "@trunkline/testing/webhook-receiver.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Customer, openCustomer } from "../support/customer.ts";
import { startService } from "../support/started-service.ts";
import { startWebhookTrial, type WebhookTrial } from "../support/webhook-trial.ts";

let trial: WebhookTrial;
let provider: ScriptedProvider;

/** A model whose every answer costs a tenth of a credit. */
const TENTH = { input_per_1k_tokens: 0, output_per_1k_tokens: 0, per_request: 0.1 };

beforeAll(async () => {
  trial = await startWebhookTrial();
  provider = await startProvider();
  await trial.service.call("POST", "/v1/provider/models", registrationOf(provider, "tenth", { pricing: TENTH }));
});

afterEach(() => {
  trial.receiver.events.length = 0;
});

afterAll(async () => {
  await trial.stop();
  await provider.stop();
});

const ask = (key: string, model = "tenth") =>
  trial.service.call("POST", "/v1/ai/request", { task: "chat", input: "Hello", model }, { key });
const settings = (customer: Customer, body?: unknown) =>
  trial.service.call(body === undefined ? "GET" : "PATCH", "/v1/settings", body, { key: customer.key });
const grant = (customer: Customer, amount: number) =>
  trial.service.call("POST", `/v1/admin/accounts/${customer.id}/grants`, { amount });

async function spend(key: string, times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    const answer = await ask(key);
    expect(answer.status, answer.text).toBe(200);
  }
}

/** What came of these types, once this much of it has come. */
async function heard(count: number) {
  await expect.poll(() => trial.receiver.types()).toHaveLength(count);
  return trial.receiver.events.map(({ json }) => json);
}

describe("a key's budget", () => {
  it("sends an alert at each of its thresholds, once, and signed", async () => {
    const customer = await openCustomer(trial.service, 10, { budget: { limit: 1, period: "month" } });
    const { secret } = await trial.listenAs(customer);
    await spend(customer.key, 8);
    const [first] = await heard(1);
    expect(first).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: "budget.threshold",
      created_at: expect.any(String),
      data: {
        scope: "key",
        key_id: customer.keyId,
        key_name: "Key of a test",
        period: "month",
        period_start: expect.stringMatching(/^\d{4}-\d{2}-01T00:00:00\.000Z$/),
        period_end: expect.stringMatching(/^\d{4}-\d{2}-01T00:00:00\.000Z$/),
        limit: 1,
        spent: 0.8,
        threshold: 0.8,
      },
    });
    expect(first.data.period_start <= first.created_at && first.created_at < first.data.period_end).toBe(true);
    await spend(customer.key, 2);
    const [, second] = await heard(2);
    expect(second.data).toEqual({ ...first.data, spent: 1, threshold: 1 });
    expect(trial.receiver.events.every((event) => isSignedWith(secret, event))).toBe(true);
    expectRefusal(await ask(customer.key), 402, "budget_exceeded");
  });

  it("sends alerts at thresholds of the account's own, in days of its own zone, or in total", async () => {
    const customer = await openCustomer(trial.service, 10, { budget: { limit: 0.4, period: "day" } });
    await settings(customer, { time_zone: "Asia/Kathmandu", alerts: { budget_thresholds: [0.5, 0.25] } });
    const other = await trial.service.call("POST", `/v1/admin/accounts/${customer.id}/keys`, {
      name: "In total",
      scopes: ["inference"],
      budget: { limit: 0.2, period: "total" },
    });
    await trial.listenAs(customer);
    await spend(customer.key, 2);
    const daily = await heard(2);
    expect(new Set(daily.map(({ data }) => data.threshold))).toEqual(new Set([0.25, 0.5]));
    for (const { data } of daily) {
      // Midnight in Kathmandu.
      expect([data.period_start, data.period_end]).toEqual(Array(2).fill(expect.stringMatching(/T18:15:00\.000Z$/)));
    }
    await spend(other.json.key, 1);
    const ever = (await heard(4)).slice(2);
    for (const { data } of ever) {
      expect(data).toMatchObject({ key_name: "In total", period: "total", limit: 0.2, spent: 0.1 });
      expect([data.period_start, data.period_end]).toEqual([null, null]);
    }
  });

  it("sends an alert to a webhook that listens only later, and none where no threshold is set", async () => {
    const customer = await openCustomer(trial.service, 10, { budget: { limit: 0.2, period: "week" } });
    await spend(customer.key, 2);
    await settings(customer, { alerts: { budget_thresholds: [] } });
    await trial.listenAs(customer, { events: ["balance.low"] });
    await trial.listenAs(customer, { events: ["budget.threshold", "balance.exhausted"] });
    await settings(customer, { alerts: { budget_thresholds: [1] } });
    const [event] = await heard(1);
    expect(event.data).toMatchObject({ period: "week", threshold: 1, spent: 0.2 });
  });

  it("is reported by one instance, although several have charged for it", async () => {
    const customer = await openCustomer(trial.service, 10, { budget: { limit: 1, period: "month" } });
    await settings(customer, {
      alerts: { budget_thresholds: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], low_balance: 9.5 },
    });
    const other = await startService(undefined, async () => trial.address);
    try {
      await trial.listenAs(customer);
      const body = { task: "chat", input: "Hello", model: "tenth" };
      await Promise.all(
        [trial.service, other].flatMap((service) =>
          Array.from({ length: 3 }, () => service.call("POST", "/v1/ai/request", body, { key: customer.key })),
        ),
      );
      const events = await heard(7);
      expect(events.filter(({ type }) => type === "balance.low")).toHaveLength(1);
      const thresholds = events.flatMap(({ data }) => data.threshold ?? []);
      expect(thresholds).toHaveLength(6);
      expect(new Set(thresholds)).toEqual(new Set([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]));
    } finally {
      await other.stop();
    }
    // Whatever an instance had noticed it has looked at before it went.
    expect(trial.receiver.events).toHaveLength(7);
  });

  it("is reported after a crash: a start checks everything", async () => {
    const customer = await openCustomer(trial.service, 10, { budget: { limit: 1, period: "day" } });
    await trial.listenAs(customer);
    // As an instance leaves it that was killed right after it wrote.
    await trial.database.query(
      `INSERT INTO usage_quarters (account_id, quarter, key_id, model, provider, task, requests, errors, input_tokens, output_tokens, cost)
       VALUES ($1, date_bin('15 minutes', now(), 'epoch'), $2, '', '', '', 1, 0, 0, 0, 900000000)`,
      [customer.id, customer.keyId],
    );
    const other = await startService(undefined, async () => trial.address);
    try {
      const [event] = await heard(1);
      expect(event.data).toMatchObject({ key_id: customer.keyId, threshold: 0.8, spent: 0.9 });
    } finally {
      await other.stop();
    }
  });
});

describe("a balance", () => {
  it("is reported as low once, and again only after it was above the threshold", async () => {
    const customer = await openCustomer(trial.service, 1);
    await settings(customer, { alerts: { low_balance: 0.5 } });
    await trial.listenAs(customer);
    await spend(customer.key, 6);
    const [first] = await heard(1);
    expect(first).toMatchObject({ type: "balance.low", data: { balance: 0.4, low_balance: 0.5 } });
    const isLow = async () =>
      (
        await trial.database.query<{ is_low: boolean }>("SELECT is_low FROM balance_alerts WHERE account_id = $1", [
          customer.id,
        ])
      )[0]?.is_low;
    expect(await isLow()).toBe(true);
    await spend(customer.key, 1);
    await grant(customer, 0.4);
    await expect.poll(isLow).toBe(false);
    await spend(customer.key, 3);
    const [, second] = await heard(2);
    expect(second).toMatchObject({ type: "balance.low", data: { low_balance: 0.5 } });
    expect(second.data.balance).toBeLessThan(0.5);
  });

  it("is reported as exhausted and as restored; meanwhile only what costs nothing is answered", async () => {
    const customer = await openCustomer(trial.service, 0.2);
    await trial.listenAs(customer);
    expect((await settings(customer)).json.status).toBe("active");
    await spend(customer.key, 2);
    const [exhausted] = await heard(1);
    expect(exhausted).toMatchObject({
      type: "balance.exhausted",
      data: { balance: 0, status: "suspended" },
    });
    expect((await settings(customer)).json.status).toBe("suspended");
    const sentence = /^The account has no credits left: .* suspended until credits are added\.$/;
    expectRefusal(await ask(customer.key), 402, "insufficient_balance", { message: sentence });
    const preview = { input: "Hello", model: "tenth" };
    const previewed = await trial.service.call("POST", "/v1/routing/preview", preview, { key: customer.key });
    expectRefusal(previewed, 402, "insufficient_balance", { message: sentence });
    expect((await ask(customer.key, "guide")).status).toBe(200);

    await grant(customer, 0.1);
    const [, restored] = await heard(2);
    expect(restored).toMatchObject({ type: "balance.restored", data: { balance: 0.1, status: "active" } });
    expect((await settings(customer)).json.status).toBe("active");
    await spend(customer.key, 1);
    expect((await heard(3))[2].type).toBe("balance.exhausted");
  });

  it("that was never there is not reported as exhausted", async () => {
    const customer = await openCustomer(trial.service, 0);
    await trial.listenAs(customer);
    await settings(customer, { alerts: { low_balance: 5 } });
    expect((await settings(customer)).json.status).toBe("suspended");
    await grant(customer, 1);
    // The first thing there is to say of it.
    expect((await heard(1))[0]).toMatchObject({ type: "balance.low", data: { balance: 1, low_balance: 5 } });
  });

  it("is sent to the webhooks that listen for it, each once", async () => {
    const customer = await openCustomer(trial.service, 0.1);
    const low = await trial.listenAs(customer, { events: ["balance.low"] });
    const all = await trial.listenAs(customer);
    const off = await trial.listenAs(customer);
    await trial.service.call("PATCH", `/v1/webhooks/${off.id}`, { enabled: false }, { key: customer.key });
    await settings(customer, { alerts: { low_balance: 0.05 } });
    await spend(customer.key, 1);
    await heard(3);
    const to = (secret: string) =>
      new Set(trial.receiver.events.filter((event) => isSignedWith(secret, event)).map(({ json }) => json.type));
    expect(to(low.secret)).toEqual(new Set(["balance.low"]));
    expect(to(all.secret)).toEqual(new Set(["balance.exhausted", "balance.low"]));
    const ids = trial.receiver.events.map(({ json }) => json.id);
    expect(new Set(ids).size).toBe(2);
  });
});
