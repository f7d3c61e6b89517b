import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import {
  answerPlainly,
  registrationOf,
  type Script,
  type ScriptedProvider,
  startProvider,
} from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { balanceOf, openCustomer } from "../support/customer.ts";
import { registerAsOtherAccount } from "../support/other-accounts-model.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let first: ScriptedProvider;
let second: ScriptedProvider;

const fails: Script = (response) => void response.writeHead(500).end("{}");
const resets: Script = (response) => void response.socket?.resetAndDestroy();

beforeAll(async () => {
  service = await startService();
  first = await startProvider();
  second = await startProvider();
});

beforeEach(async () => {
  // As after many requests without trouble: the budget for retries is full.
  const operator = await service.services.identity.accounts.findOperator();
  for (let request = 0; request < 100; request++)
    service.services.providers.retryBudget.noteRequest(operator?.id ?? "");
  first.script = fails;
  second.script = answerPlainly;
  first.calls.length = 0;
  second.calls.length = 0;
});

afterAll(async () => {
  await service.stop();
  await first.stop();
  await second.stop();
});

let registered = 0;

/** Two models of their own for each test: the first fails, the second answers. */
async function registerPair(more: Record<string, unknown> = {}, moreOfSecond: Record<string, unknown> = {}) {
  const [bad, good] = [`bad-${++registered}`, `good-${registered}`];
  const answers = [
    await service.call("POST", "/v1/provider/models", registrationOf(second, good, moreOfSecond)),
    await service.call(
      "POST",
      "/v1/provider/models",
      registrationOf(first, bad, { ...more, ...("backups" in more ? { backups: [good] } : {}) }),
    ),
  ];
  for (const { status, text } of answers) expect(status, text).toBe(201);
  return { bad, good };
}

const ask = (body: Record<string, unknown>, key?: string) =>
  service.call("POST", "/v1/ai/request", { task: "chat", input: "Hello", ...body }, key === undefined ? {} : { key });

describe("before the first part, the next candidate takes over:", () => {
  it("a fallback that the client named", async () => {
    const { bad, good } = await registerPair();
    const answer = await ask({ model: bad, fallbacks: [good] });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ output: "A plain answer.", model_used: good, cost: 0.00005 });
    const record = await service.call("GET", `/v1/requests/${answer.headers.get("x-request-id")}`);
    expect(record.json.attempts).toMatchObject([
      { model: `operator/${bad}`, outcome: "failed", reason: expect.stringMatching(/500/) },
      { model: `operator/${good}`, outcome: "answered", reason: "ok" },
    ]);
    expect(record.json.model).toBe(`operator/${good}`);
  });

  it("a backup that its provider named", async () => {
    const { bad, good } = await registerPair({ backups: [] });
    expect((await ask({ model: bad })).json.model_used).toBe(good);
  });

  it("the client's fallbacks before the backups", async () => {
    const { bad, good } = await registerPair({ backups: [] });
    const other = await registerPair();
    const answer = await ask({ model: bad, fallbacks: [other.good] });
    expect(answer.json.model_used).toBe(other.good);
    expect(good).not.toBe(other.good);
  });

  it("another provider of the same name", async () => {
    await service.call("PATCH", "/v1/settings", { third_party_models: true });
    const otherAccount = await openCustomer(service, 0);
    const name = `shared-${++registered}`;
    await service.call("POST", "/v1/provider/models", registrationOf(first, name));
    await registerAsOtherAccount(service, otherAccount, registrationOf(second, name), "active");
    for (let round = 0; round < 4; round++) {
      const answer = await service.call("POST", "/v1/generate", { input: "Hello", model: name });
      expect(answer.json.model).toBe(`${otherAccount.provider}/${name}`);
    }
    const named = await ask({ model: `operator/${name}` });
    expect([502, 503]).toContain(named.status);
  });

  it("and a stream does not notice", async () => {
    const { bad, good } = await registerPair({ streaming: true }, { streaming: true });
    for (const script of [fails, resets]) {
      first.script = script;
      second.script = (response) => void response.end('{"delta":"All "}{"delta":"is "}{"delta":"well."}{"done":true}');
      const { status, text } = await service.call("POST", "/v1/stream", {
        input: "Hello",
        model: bad,
        fallbacks: [good],
      });
      expect(status).toBe(200);
      const lines = text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
      expect(lines.map((line) => line.delta ?? "").join("")).toBe("All is well.");
      expect(lines.at(-1).model).toBe(`operator/${good}`);
    }
  });

  it("and only the one that answered is paid for", async () => {
    const { bad, good } = await registerPair(
      { pricing: { input_per_1k_tokens: 0, output_per_1k_tokens: 0, per_request: 2 } },
      { pricing: { input_per_1k_tokens: 0, output_per_1k_tokens: 0, per_request: 3 } },
    );
    const { key } = await openCustomer(service, 10);
    const answer = await ask({ model: bad, fallbacks: [good] }, key);
    expect(answer.json.cost).toBe(3);
    expect(await balanceOf(service, key)).toMatchObject({ balance: 7, held: 0 });
  });

  it("but never one that can't be paid for", async () => {
    const { bad, good } = await registerPair(
      { pricing: { input_per_1k_tokens: 0, output_per_1k_tokens: 0, per_request: 2 } },
      { pricing: { input_per_1k_tokens: 0, output_per_1k_tokens: 0, per_request: 3 } },
    );
    const { key } = await openCustomer(service, 2.5);
    const answer = await ask({ model: bad, fallbacks: [good] }, key);
    expect(answer.status).toBe(502);
    expect(second.calls).toHaveLength(0);
    expect(await balanceOf(service, key)).toMatchObject({ balance: 2.5, held: 0 });
  });
});

describe("between two candidates", () => {
  it("the money may be spent elsewhere: then the dearer one is not called", async () => {
    const fixed = (amount: number) => ({
      pricing: { input_per_1k_tokens: 0, output_per_1k_tokens: 0, per_request: amount },
    });
    const { bad, good } = await registerPair(fixed(2), fixed(5));
    const other = await registerPair({}, fixed(3));
    const { key } = await openCustomer(service, 6);
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    first.script = async (response, call) => {
      await released;
      await fails(response, call);
    };
    const running = ask({ model: bad, fallbacks: [good] }, key);
    await expect.poll(() => first.calls.length).toBe(1);
    expect((await ask({ model: other.good }, key)).json.cost).toBe(3);
    release();
    const answer = await running;
    expectRefusal(answer, 502, "provider_error", {
      attempts: [
        expect.objectContaining({ model: `operator/${bad}` }),
        expect.objectContaining({ model: `operator/${good}`, reason: expect.stringMatching(/credits/) }),
      ],
    });
    expect(second.calls).toHaveLength(1);
    expect(await balanceOf(service, key)).toMatchObject({ balance: 3, held: 0 });
  });
});

describe("a model that the client named", () => {
  it("is never replaced by one that was not named", async () => {
    const { bad } = await registerPair();
    const answer = await ask({ model: bad });
    expectRefusal(answer, 502, "provider_error", {
      attempts: [{ model: `operator/${bad}`, reason: expect.any(String), ms: expect.any(Number) }],
    });
    expect(second.calls).toHaveLength(0);
  });

  it("lists every attempt when all that may replace it fail, too", async () => {
    const { bad, good } = await registerPair();
    second.script = resets;
    const answer = await ask({ model: bad, fallbacks: [good, bad] });
    expectRefusal(answer, 502, "provider_error", {
      attempts: [
        expect.objectContaining({ model: `operator/${bad}` }),
        expect.objectContaining({ model: `operator/${good}` }),
      ],
    });
  });

  it("is a timeout only where all of them took too long", async () => {
    const silent: Script = () => undefined;
    const limits = { first_byte_ms: 100 };
    const { bad, good } = await registerPair({ limits }, { limits });
    first.script = silent;
    second.script = silent;
    const late = await ask({ model: bad, fallbacks: [good] });
    expectRefusal(late, 504, "provider_timeout", { attempts: [expect.anything(), expect.anything()] });
    second.script = fails;
    const mixed = await ask({ model: bad, fallbacks: [good] });
    expectRefusal(mixed, 502, "provider_error", { attempts: [expect.anything(), expect.anything()] });
  });
});

describe("the circuit breaker", () => {
  it("opens after repeated failures: the endpoint is left alone as long as anybody else can serve", async () => {
    const { bad, good } = await registerPair();
    for (let failure = 0; failure < 5; failure++) expect((await ask({ model: bad })).status).toBe(502);
    // A lone model may have been tried twice, as far as the account's retries reached.
    const calls = first.calls.length;
    expect(calls).toBeGreaterThanOrEqual(5);
    const shown = await service.call("GET", `/v1/models/${bad}`);
    expect(shown.json.providers[0].live).toMatchObject({ available: false, state: "left alone", calls });
    const answer = await ask({ model: bad, fallbacks: [good] });
    expect(answer.json.model_used).toBe(good);
    expect(first.calls).toHaveLength(calls);
    const record = await service.call("GET", `/v1/requests/${answer.headers.get("x-request-id")}`);
    expect(record.json.attempts).toMatchObject([{ model: `operator/${good}` }]);
    expect(record.json.routing.left_out).toContainEqual({
      model: `operator/${bad}`,
      reason: expect.stringMatching(/failed repeatedly/),
    });
  });

  it("never takes away the last candidate, and lets it come back once that answers", async () => {
    const { bad } = await registerPair();
    for (let failure = 0; failure < 6; failure++) expect((await ask({ model: bad })).status).toBe(502);
    first.script = answerPlainly;
    expect((await ask({ model: bad })).json.model_used).toBe(bad);
    const shown = await service.call("GET", `/v1/provider/models/${bad}`);
    expect(shown.json.health.breaker).toBe("ramping");
    expect((await ask({ model: bad })).json.model_used).toBe(bad);
  });

  it("does not open for requests that the provider rejects", async () => {
    const { bad } = await registerPair();
    first.script = (response) => void response.writeHead(400).end('{"error":{"message":"No","code":400}}');
    for (let time = 0; time < 7; time++) expect((await ask({ model: bad })).status).toBe(502);
    expect(first.calls).toHaveLength(7);
  });
});

describe("an automatic request", () => {
  it("fails over to another model that fits, and says which it was", async () => {
    const word = `weaving-${++registered}`;
    const { bad, good } = await registerPair(
      { specialties: [word], pricing: { input_per_1k_tokens: 0.0001, output_per_1k_tokens: 0.0001 } },
      { specialties: [word], pricing: { input_per_1k_tokens: 0.0002, output_per_1k_tokens: 0.0002 } },
    );
    // The cheaper one comes first under the default strategy, and fails.
    for (const model of [undefined, null, "auto"]) {
      const answer = await service.call("POST", "/v1/ai/request", { task: word, input: "Hello", model });
      expect(answer.status, answer.text).toBe(200);
      expect(answer.json.model_used).toBe(good);
    }
    expect(first.calls.length).toBeGreaterThan(0);
    expect(bad).not.toBe(good);
  });
});
