import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import {
  answerPlainly,
  registrationOf,
  type ScriptedProvider,
  startProvider,
} from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { balanceOf, type Customer, openCustomer, openManagingKey } from "../support/customer.ts";
import { type CallOptions, type StartedService, startService, startSibling } from "../support/started-service.ts";

let service: StartedService;
let sibling: StartedService;
let provider: ScriptedProvider;
let customer: Customer;

beforeAll(async () => {
  service = await startService();
  sibling = await startSibling(service);
  provider = await startProvider();
  await service.call("POST", "/v1/provider/models", registrationOf(provider, "plain"));
  await service.call("POST", "/v1/provider/models", registrationOf(provider, "flowing", { streaming: true }));
});

beforeEach(async () => {
  provider.script = answerPlainly;
  provider.calls.length = 0;
  customer = await openCustomer(service, 10);
});

afterAll(async () => {
  await sibling.stop();
  await service.stop();
  await provider.stop();
});

const BODY = { model: "plain", input: "What is the capital of France?" };
const CACHE = { ttl: 60 };

const ask = (
  more: Record<string, unknown> = { cache: CACHE },
  options: CallOptions = {},
  at: StartedService = service,
) => at.call("POST", "/v1/generate", { ...BODY, ...more }, { key: customer.key, ...options });
const cacheOf = (answer: { headers: Headers }) => answer.headers.get("x-trunkline-cache");
const recordOf = async (answer: { headers: Headers }) =>
  (
    await service.call("GET", `/v1/requests/${answer.headers.get("x-request-id")}`, undefined, {
      key: customer.key,
    })
  ).json;
const flow: typeof answerPlainly = (response) => {
  response.setHeader("content-type", "application/x-ndjson");
  for (const delta of ["A ", "flowing ", "answer."]) response.write(`${JSON.stringify({ delta })}\n`);
  response.end(`${JSON.stringify({ done: true, usage: { input_tokens: 10, output_tokens: 20 } })}\n`);
};

describe("an answer that was given before", () => {
  it("is given again for nothing, and is on record as such", async () => {
    const first = await ask();
    expect(cacheOf(first)).toBe("miss");
    const { balance } = await balanceOf(service, customer.key);
    const second = await ask();
    expect(cacheOf(second)).toMatch(/^hit; age=\d; match=exact$/);
    expect(second.json).toEqual({ ...first.json, latency_ms: expect.any(Number) });
    expect(provider.calls).toHaveLength(1);
    expect((await balanceOf(service, customer.key)).balance).toBe(balance);
    expect(await recordOf(second)).toMatchObject({
      status: 200,
      cost: 0,
      held: 0,
      input_tokens: 0,
      output_tokens: 0,
      usage_source: "none",
      model: "trunkline.cache/plain",
      attempts: [],
      safety: { input: { action: "allow" }, output: { action: "allow" } },
      cache: {
        result: "hit",
        match: "exact",
        request_id: first.headers.get("x-request-id"),
        model: expect.stringMatching(/\/plain$/),
      },
    });
    expect((await recordOf(first)).cache).toEqual({ result: "miss" });
    const usage = await service.call("GET", "/v1/usage/breakdown?group_by=provider", undefined, {
      key: customer.key,
    });
    expect(usage.json.data).toContainEqual(
      expect.objectContaining({ provider: "trunkline.cache", requests: 1, cost: 0 }),
    );
    const metrics = await service.call("GET", "/metrics");
    expect(metrics.text).toMatch(/trunkline_cache_lookups_total\{found="exact"\} [1-9]/);
  });

  it("is asked for by a header as well, and the body's word goes first", async () => {
    const headers = { "x-trunkline-cache": "ttl=60" };
    expect(cacheOf(await ask({}, { headers }))).toBe("miss");
    expect(cacheOf(await ask({}, { headers }))).toMatch(/^hit/);
    expect(cacheOf(await ask({ cache: false }, { headers }))).toBeNull();
    expectRefusal(await ask({}, { headers: { "x-trunkline-cache": "for ever" } }), 400, "invalid_request", {
      param: "x-trunkline-cache",
    });
    expectRefusal(await ask({ cache: { ttl: 0 } }), 400, "invalid_request", { param: "cache.ttl" });
  });

  it("is given only to those who ask for it, or whose key does", async () => {
    await ask();
    const unasked = await ask({});
    expect(cacheOf(unasked)).toBeNull();
    expect(provider.calls).toHaveLength(2);
    const key = await openManagingKey(service, customer);
    const patched = await service.call(
      "PATCH",
      `/v1/keys/${customer.keyId}`,
      { cache: { ttl: 60, similarity: 0.95 } },
      { key },
    );
    expect(patched.json).toMatchObject({ cache: { ttl: 60, similarity: 0.95 } });
    expect(cacheOf(await ask({}))).toMatch(/^hit/);
    expect(cacheOf(await ask({ cache: false }))).toBeNull();
    expect(provider.calls).toHaveLength(3);
    const lifted = await service.call("PATCH", `/v1/keys/${customer.keyId}`, { cache: null }, { key });
    expect(lifted.json.cache).toBeNull();
    expect(cacheOf(await ask({}))).toBeNull();
    const refused = await service.call("PATCH", `/v1/keys/${customer.keyId}`, { cache: { ttl: 0 } }, { key });
    expectRefusal(refused, 400, "invalid_request", { param: "cache.ttl" });
  });

  it.each([
    ["input", { input: "What is the capital of Italy?" }],
    ["task", { task: "code" }],
    ["parameters", { parameters: { temperature: 0.5 } }],
    ["model", { model: "flowing" }],
    ["preferences", { preferences: { max_cost: 5 } }],
  ])("is another where the %s is", async (_what, change) => {
    await ask();
    expect(cacheOf(await ask({ cache: CACHE, ...change }))).toBe("miss");
  });

  it("is never another account's", async () => {
    await ask();
    const { key } = await openCustomer(service, 10);
    expect(cacheOf(await ask({ cache: CACHE }, { key }))).toBe("miss");
    expect(
      cacheOf(await ask({ cache: { ttl: 60, similarity: 0.8 } }, { key: (await openCustomer(service, 10)).key })),
    ).toBe("miss");
    expect(provider.calls).toHaveLength(3);
  });

  it("is given by every instance", async () => {
    await ask();
    await expect.poll(async () => cacheOf(await ask({ cache: CACHE }, {}, sibling))).toMatch(/^hit/);
  });

  it("serves streams and whole answers alike", async () => {
    provider.script = flow;
    const stream = (cache: unknown) =>
      service.call("POST", "/v1/stream", { ...BODY, model: "flowing", cache }, { key: customer.key });
    const streamed = await stream(CACHE);
    expect(cacheOf(streamed)).toBe("miss");
    const again = await stream(CACHE);
    expect(cacheOf(again)).toMatch(/^hit/);
    const lines = again.text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map(({ delta }) => delta ?? "").join("")).toBe("A flowing answer.");
    expect(lines.at(-1)).toMatchObject({
      done: true,
      cost: 0,
      usage: { input_tokens: 10, output_tokens: 20 },
    });
    const whole = await ask({ model: "flowing", cache: CACHE });
    expect(cacheOf(whole)).toMatch(/^hit/);
    expect(whole.json.output).toBe("A flowing answer.");
    expect(provider.calls).toHaveLength(1);
    expect(await recordOf(again)).toMatchObject({ streamed: true, cost: 0 });
  });

  it("is a replay first where the idempotency key was used before", async () => {
    const headers = { "idempotency-key": "once" };
    const first = await ask({ cache: CACHE }, { headers });
    const replayed = await ask({ cache: CACHE }, { headers });
    expect(replayed.headers.get("idempotent-replayed")).toBe("true");
    expect(cacheOf(replayed)).toBeNull();
    expect(replayed.json).toEqual(first.json);
    const hit = await ask({ cache: CACHE }, { headers: { "idempotency-key": "twice" } });
    expect(cacheOf(hit)).toMatch(/^hit/);
    const replayedHit = await ask({ cache: CACHE }, { headers: { "idempotency-key": "twice" } });
    expect(replayedHit.headers.get("idempotent-replayed")).toBe("true");
    expect(replayedHit.json).toEqual(hit.json);
  });

  it("is not given to a key that may not use its model, nor where its model is gone", async () => {
    await service.call("POST", "/v1/provider/models", registrationOf(provider, "passing"));
    expect(cacheOf(await ask({ model: "passing", cache: CACHE }))).toBe("miss");
    const key = await openManagingKey(service, customer);
    await service.call("PATCH", `/v1/keys/${customer.keyId}`, { models: ["plain"] }, { key });
    expect((await ask({ model: "passing", cache: CACHE })).status).toBe(403);
  });

  it("is dropped on demand, on all instances", async () => {
    await ask();
    await expect.poll(async () => cacheOf(await ask({ cache: CACHE }, {}, sibling))).toMatch(/^hit/);
    const dropped = await service.call("DELETE", "/v1/cache", undefined, { key: customer.key });
    expect(dropped.json).toEqual({ dropped: 1 });
    expect(cacheOf(await ask({ cache: CACHE, parameters: { max_tokens: 9 } }))).toBe("miss");
    await expect.poll(async () => cacheOf(await ask({ cache: { ttl: 1 } }, {}, sibling))).toBe("miss");
    const weak = await openCustomer(service, 1, { scopes: ["inference"] });
    expectRefusal(await service.call("DELETE", "/v1/cache", undefined, { key: weak.key }), 403, "insufficient_scope");
  });
});

describe("what is not kept", () => {
  it("is a failure, a broken answer, or one that the safety check refused", async () => {
    provider.script = (response) => {
      response.statusCode = 500;
      response.end("{}");
    };
    expect((await ask()).status).toBe(502);
    provider.script = answerPlainly;
    expect(cacheOf(await ask())).toBe("miss");
  });

  it("is what is longer than a megabyte", async () => {
    provider.script = (response) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ output: "long ".repeat(250_000), usage: { input_tokens: 1, output_tokens: 1 } }));
    };
    const wordy = registrationOf(provider, "wordy", { max_output_tokens: 1_000_000 });
    await service.call("POST", "/v1/provider/models", wordy);
    const answer = await ask({ model: "wordy", cache: CACHE });
    expect(answer.json.output).toHaveLength(1_250_000);
    expect(cacheOf(answer)).toBe("miss");
    expect(cacheOf(await ask({ model: "wordy", cache: CACHE }))).toBe("miss");
  });
});

describe("time", () => {
  it("ends what was cached, by the limit of the request that cached it and of the one that asks", async () => {
    const clock = new ManualClock(Date.now());
    const timed = await startService((config) => config, undefined, clock);
    try {
      await timed.call("POST", "/v1/provider/models", registrationOf(provider, "plain"));
      const at = async (ttl: number) => cacheOf(await timed.call("POST", "/v1/generate", { ...BODY, cache: { ttl } }));
      expect(await at(60)).toBe("miss");
      clock.advance(30_000);
      expect(await at(60)).toBe("hit; age=30; match=exact");
      expect(await at(30)).toBe("miss");
      clock.advance(29_000);
      expect(await at(60)).toBe("hit; age=29; match=exact");
      clock.advance(1_000);
      expect(await at(60)).toBe("miss");
    } finally {
      await timed.stop();
    }
  });
});

describe("the safety check", () => {
  it("judges a kept answer by the policy of today", async () => {
    provider.script = (response) => {
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({
          output: "The card number is 4111 1111 1111 1111.",
          usage: { input_tokens: 1, output_tokens: 1 },
        }),
      );
    };
    expect((await ask()).status).toBe(200);
    const changed = await service.call("PUT", "/v1/admin/safety", {
      preset: "balanced",
      categories: { pii: "refuse" },
    });
    expect(changed.status, changed.text).toBe(200);
    const { balance } = await balanceOf(service, customer.key);
    const refused = await ask();
    expect(refused.status).toBe(403);
    expect(refused.json.error).toMatchObject({ type: "unsafe_output" });
    expect(refused.json.error.cost).toBeUndefined();
    expect((await balanceOf(service, customer.key)).balance).toBe(balance);
  });
});
