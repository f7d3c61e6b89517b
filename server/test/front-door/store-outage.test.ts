import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { newGate } from "@trunkline/testing/gate.ts";
import {
  answerPlainly,
  registrationOf,
  type ScriptedProvider,
  startProvider,
} from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { balanceOf, type Customer, openCustomer } from "../support/customer.ts";
import { SeverableStore } from "../support/severable-store.ts";
import { type StartedService, startService } from "../support/started-service.ts";

const store = new SeverableStore();
let service: StartedService;
let provider: ScriptedProvider;
let customer: Customer;

beforeAll(async () => {
  service = await startService((config) => config, store.reach);
  provider = await startProvider();
  await service.call("POST", "/v1/provider/models", registrationOf(provider, "plain"));
});

beforeEach(async () => {
  provider.script = answerPlainly;
  provider.calls.length = 0;
  customer = await openCustomer(service, 10);
});

afterAll(async () => {
  store.mend();
  await service.stop();
  await provider.stop();
  store.stop();
});

const ask = (headers: Record<string, string> = {}, key = customer.key) =>
  service.call("POST", "/v1/ai/request", { task: "chat", input: "Hello", model: "plain" }, { key, headers });

const isBack = () => expect.poll(async () => (await service.call("GET", "/readyz")).status).toBe(200);

describe("a store that is away", () => {
  it("is the service's trouble: 503 with when to come back, never 401 or 402", async () => {
    store.cut();
    try {
      for (const [method, path, key] of [
        ["GET", "/v1/balance", customer.key],
        ["GET", "/v1/usage", customer.key],
        ["GET", "/v1/requests", customer.key],
        ["GET", "/v1/keys", customer.key],
        ["POST", "/v1/keys", customer.key],
        // It can't be known now whether this key is valid.
        ["GET", "/v1/models", "never-seen-before-key"],
      ] as const) {
        const body = method === "POST" ? { name: "k", scopes: ["read"] } : undefined;
        const answer = await service.call(method, path, body, { key });
        expectRefusal(answer, 503, "unavailable");
        expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
      }
      expectRefusal(await ask(), 503, "unavailable");
      expectRefusal(await ask({ "idempotency-key": "k" }), 503, "unavailable");
      expect(provider.calls).toHaveLength(0);
      expect((await service.call("GET", "/healthz", undefined, { key: null })).status).toBe(200);
      const ready = await service.call("GET", "/readyz", undefined, { key: null });
      expect(ready.status).toBe(503);
      expect(ready.headers.get("retry-after")).not.toBeNull();
    } finally {
      store.mend();
    }
    await isBack();
    expect((await ask()).status).toBe(200);
    expect(await balanceOf(service, customer.key)).toMatchObject({ balance: 9.99995, held: 0 });
  });

  it("is only a blink where it comes back in time: the answer is given and charged once", async () => {
    await ask();
    provider.script = async (response, call) => {
      store.cut();
      setTimeout(() => store.mend(), 100);
      await answerPlainly(response, call);
    };
    const answer = await ask();
    expect(answer.status, answer.text).toBe(200);
    await isBack();
    expect(await balanceOf(service, customer.key)).toMatchObject({ balance: 9.9999, held: 0 });
  });
});

/** What one outage did to a request without an idempotency key and to one with it: an answer waits for the store for seconds. */
async function loseBoth(script: ScriptedProvider["script"]) {
  const [plain, keyed] = [await openCustomer(service, 10), await openCustomer(service, 10)];
  const key = { "idempotency-key": "unheard" };
  // The hold is decided in memory; by the time the answer is there, the store is gone.
  for (const { key: warm } of [plain, keyed]) expect((await ask({}, warm)).status).toBe(200);
  const gate = newGate();
  provider.calls.length = 0;
  provider.script = async (response, call) => {
    if (provider.calls.length === 2) gate.open();
    await gate.opened;
    await script(response, call);
  };
  const lost = await Promise.all([ask({}, plain.key), ask(key, keyed.key)]);
  for (const answer of lost) expectRefusal(answer, 503, "unavailable");
  expect(provider.calls).toHaveLength(2);
  provider.script = answerPlainly;
  store.mend();
  await isBack();
  return { plain, keyed, key, said: lost.map(({ json }) => json.error.message as string) };
}

const nothingIsHeld = (customers: readonly Customer[]) =>
  expect
    .poll(async () => {
      const balances = await Promise.all(customers.map(({ key }) => balanceOf(service, key)));
      return balances.map(({ held }) => held);
    })
    .toEqual(customers.map(() => 0));

describe("a store that goes away before a charge", () => {
  it("never makes an answer that is not in the ledger, and keeps no idempotency key: it runs again once the store is back", async () => {
    const { plain, keyed, key } = await loseBoth(async (response, call) => {
      store.cut();
      await answerPlainly(response, call);
    });
    await nothingIsHeld([plain]);
    expect(await balanceOf(service, plain.key)).toMatchObject({ balance: 9.99995 });
    expect((await service.call("GET", "/v1/usage", undefined, { key: plain.key })).json.requests).toBe(1);
    expect((await ask({}, plain.key)).status).toBe(200);
    expect(await balanceOf(service, plain.key)).toMatchObject({ balance: 9.9999, held: 0 });

    await expect.poll(async () => (await ask(key, keyed.key)).status).toBe(200);
    expect(await balanceOf(service, keyed.key)).toMatchObject({ balance: 9.9999, held: 0 });
  });
});

describe("a store whose answer to a commit is lost", () => {
  const isSettled = () => expect.poll(() => service.services.ledger.settlementWriter.openCount).toBe(0);

  it("costs nothing where the answer is lost, and keeps one under an idempotency key, charged once; the refusals say so", async () => {
    const { plain, keyed, key, said } = await loseBoth(async (response, call) => {
      // The store commits the charge, or may do so, and nobody hears of it.
      store.mute();
      setTimeout(() => store.cut(), 500);
      await answerPlainly(response, call);
    });
    expect(said).toEqual([expect.stringContaining("It costs nothing"), expect.stringContaining("Its answer is kept")]);
    await isSettled();
    await nothingIsHeld([plain]);
    expect(await balanceOf(service, plain.key)).toMatchObject({ balance: 9.99995 });

    const again = await ask(key, keyed.key);
    expect(again.status, again.text).toBe(200);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(provider.calls).toHaveLength(2);
    await nothingIsHeld([keyed]);
    expect(await balanceOf(service, keyed.key)).toMatchObject({ balance: 9.9999 });
  });
});

describe("a store that stays away", () => {
  it("is said once a minute, however often budgets and balances are looked at", async () => {
    const line = new SeverableStore();
    const calm = await startService((config) => config, line.reach);
    const said = () => calm.logged().split("Budgets and balances could not be checked for alerts.").length - 1;
    try {
      line.cut();
      calm.services.notify.alertMonitor.onBalanceChange(customer.id);
      await expect.poll(said).toBe(1);
      // Looks a last time, at once.
      await calm.services.notify.alertMonitor.stop();
      expect(said()).toBe(1);
    } finally {
      line.mend();
      await calm.stop();
      line.stop();
    }
  });
});
