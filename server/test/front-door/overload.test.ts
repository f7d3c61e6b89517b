import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import {
  answerPlainly,
  registrationOf,
  type ScriptedProvider,
  startProvider,
} from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { balanceOf, openCustomer } from "../support/customer.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let provider: ScriptedProvider;

beforeAll(async () => {
  service = await startService((config) => ({
    ...config,
    limits: { ...config.limits, concurrentRequests: 3 },
  }));
  provider = await startProvider();
  await service.call("POST", "/v1/provider/models", registrationOf(provider, "plain"));
});

afterAll(async () => {
  await service.stop();
  await provider.stop();
});

it("refuses more than it can carry with 503 and when to come back, and carries on with what it has", async () => {
  const { key } = await openCustomer(service, 10);
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  provider.script = async (response, call) => {
    await released;
    await answerPlainly(response, call);
  };
  const ask = () => service.call("POST", "/v1/ai/request", { task: "chat", input: "Hello", model: "plain" }, { key });
  const running = [ask(), ask(), ask()];
  await expect.poll(() => provider.calls.length).toBe(3);

  const refused = await ask();
  expectRefusal(refused, 503, "overloaded");
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  // A client without a key learns nothing of how busy it is.
  expectRefusal(await service.call("GET", "/v1/models", undefined, { key: null }), 401, "missing_api_key");
  expect((await service.call("GET", "/healthz", undefined, { key: null })).status).toBe(200);
  // What is no request for an answer stays possible.
  expect((await service.call("GET", "/v1/balance", undefined, { key })).status).toBe(200);
  expect(provider.calls).toHaveLength(3);

  release();
  expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200, 200]);
  expect((await ask()).status).toBe(200);
  expect(await balanceOf(service, key)).toMatchObject({ balance: 9.9998, held: 0 });
});

it("keeps places for other accounts when one fills all that it may have, with whatever keys", async () => {
  const own = await startService((config) => ({
    ...config,
    limits: { ...config.limits, concurrentRequests: 20, accountConcurrentRequests: 10 },
  }));
  try {
    await own.call("POST", "/v1/provider/models", registrationOf(provider, "plain"));
    const busy = await openCustomer(own, 10);
    const terms = { name: "Second", scopes: ["inference"] };
    const second = await own.call("POST", `/v1/admin/accounts/${busy.id}/keys`, terms);
    expect(second.status, second.text).toBe(201);
    const quiet = await openCustomer(own, 10);
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    provider.calls.length = 0;
    provider.script = async (response, call) => {
      await released;
      await answerPlainly(response, call);
    };
    const ask = (key: string) =>
      own.call("POST", "/v1/ai/request", { task: "chat", input: "Hello", model: "plain" }, { key });
    const running = Array.from({ length: 10 }, (_, nth) => ask(nth % 2 === 0 ? busy.key : second.json.key));
    await expect.poll(() => provider.calls.length).toBe(10);
    const refused = await ask(second.json.key);
    expectRefusal(refused, 429, "rate_limited");
    expect(refused.json.error.message).toContain("10 requests at once");
    provider.script = answerPlainly;
    for (let nth = 0; nth < 5; nth++) expect((await ask(quiet.key)).status).toBe(200);
    release();
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual(running.map(() => 200));
  } finally {
    await own.stop();
  }
});
