import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { newGate } from "@trunkline/testing/gate.ts";
import { makeWav } from "@trunkline/testing/make-wav.ts";
import {
  answerPlainly,
  registrationOf,
  type ScriptedProvider,
  startProvider,
} from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createProvider } from "../../../examples/provider/provider.mjs";
import { type Database, openDatabase } from "../../src/store/database/database.ts";
import { auditLedger } from "../../src/store/ledger/audit.ts";
import { type Customer, openCustomer } from "../support/customer.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let provider: ScriptedProvider;
let reference: Server;
let database: Database;
let customer: Customer;

const PER_SECOND = { type: "audio", pricing: { per_second: 0.01 } };

beforeAll(async () => {
  service = await startService(undefined, async (address) => {
    database = openDatabase(address, () => undefined);
    return address;
  });
  provider = await startProvider();
  reference = createProvider({ key: "provider-credential-of-the-tests" }).listen(0, "127.0.0.1");
  await new Promise((resolve) => reference.once("listening", resolve));
  const tone = `http://127.0.0.1:${(reference.address() as AddressInfo).port}/audio/v1/generate`;
  const token = { input_per_1k_tokens: 0.001, output_per_1k_tokens: 0.002 };
  for (const [name, more] of [
    ["cached", { pricing: { ...token, cached_input_per_1k_tokens: 0.0001 } }],
    ["uncached", {}],
    ["writer", { pricing: { ...token, cached_input_per_1k_tokens: 0.0001, cache_write_per_1k_tokens: 0.00125 } }],
    ["hoarder", { pricing: { ...token, cached_input_per_1k_tokens: 0.1 } }],
    ["speaker", PER_SECOND],
    ["tone", { ...PER_SECOND, endpoint: tone }],
    ["listener", { type: "multimodal", pricing: { ...token, per_second: 0.01 } }],
    ["moving", { streaming: true, pricing: { ...token, per_request: 1 } }],
  ] as const) {
    const made = await service.call("POST", "/v1/provider/models", registrationOf(provider, name, more));
    expect(made.status, made.text).toBe(201);
  }
});

beforeEach(async () => {
  provider.script = answerPlainly;
  provider.calls.length = 0;
  customer = await openCustomer(service, 10);
});

afterAll(async () => {
  // Whatever was charged here, the audit reckons it again.
  const { findings } = await auditLedger(database);
  expect(findings.filter(({ verdict }) => verdict === "broken")).toEqual([]);
  await database.close();
  await service.stop();
  await provider.stop();
  reference.closeAllConnections();
  await new Promise((resolve) => reference.close(resolve));
});

const answer = (body: unknown) => {
  provider.script = (response) => void response.end(JSON.stringify(body));
};
const ask = (model: string, more: Record<string, unknown> = {}, path = "/v1/ai/request") =>
  service.call("POST", path, { task: "chat", input: "Hello", model, ...more }, { key: customer.key });
const say = (model: string, input = "Hello") =>
  service.call("POST", "/v1/audio", { input, model }, { key: customer.key });
const recordOf = async ({ headers }: { headers: Headers }) => {
  const path = `/v1/requests/${headers.get("x-request-id")}`;
  return (await service.call("GET", path, undefined, { key: customer.key })).json;
};

describe("input out of a provider's cache", () => {
  const usage = { input_tokens: 100, output_tokens: 10, cached_input_tokens: 80 };

  it("is charged at its own price, and the record says how much it was", async () => {
    answer({ output: "Fine.", usage });
    const given = await ask("cached");
    // 20 × 0.001 + 80 × 0.0001 + 10 × 0.002 per thousand.
    expect(given.json.cost).toBe(0.000048);
    expect(await recordOf(given)).toMatchObject({
      input_tokens: 100,
      cached_input_tokens: 80,
      audio_ms: 0,
      usage_source: "provider",
      cost: 0.000048,
    });
  });

  it("is charged as any other input where it has no price, and where it can't be true", async () => {
    answer({ output: "Fine.", usage });
    expect((await ask("uncached")).json.cost).toBe(0.00012);
    for (const cached of [101, -1, 0.5, "80", null]) {
      answer({ output: "Fine.", usage: { ...usage, cached_input_tokens: cached } });
      const given = await ask("cached");
      expect(given.json.cost).toBe(0.00012);
      expect(await recordOf(given)).toMatchObject({ cached_input_tokens: 0 });
    }
  });

  it("is told apart from what goes into it, which has a price of its own and is covered by the hold", async () => {
    answer({ output: "Fine.", usage: { ...usage, cached_input_tokens: 40, cache_write_tokens: 40 } });
    const given = await ask("writer", { parameters: { max_tokens: 10 } });
    // 20 × 0.001 + 40 × 0.0001 + 40 × 0.00125 + 10 × 0.002 per thousand.
    expect(given.json.cost).toBe(0.000094);
    expect(await recordOf(given)).toMatchObject({
      cached_input_tokens: 40,
      cache_write_tokens: 40,
      price: { cache_write_per_1k_tokens: 0.00125 },
    });
    answer({ output: "Fine.", usage: { input_tokens: 1, output_tokens: 2, cache_write_tokens: 1 } });
    const small = await ask("writer", { parameters: { max_tokens: 2 } });
    expect(small.json.cost).toBe(0.00000525);
    expect(await recordOf(small)).toMatchObject({ held: 0.00000525 });
  });

  it("is covered by the hold where it is dearer", async () => {
    answer({ output: "Fine.", usage: { input_tokens: 1, output_tokens: 2, cached_input_tokens: 1 } });
    const given = await ask("hoarder", { parameters: { max_tokens: 2 } });
    expect(given.json.cost).toBe(0.000104);
    expect(await recordOf(given)).toMatchObject({ held: 0.000104 });
  });
});

describe("audio by the second", () => {
  it.each([
    ["the provider's count", { audio_url: "https://example.com/a.mp3" }, { seconds: 2.5 }, 2_500, "provider"],
    ["a WAV file's own length", { audio_url: makeWav() }, undefined, 500, "measured"],
    ["a WAV file's own length, not a lie", { audio_url: makeWav() }, { seconds: 9 }, 500, "measured"],
    ["an estimate by the text", { audio_url: "https://example.com/a.mp3" }, undefined, 325, "estimated"],
    ["an estimate, not a lie", { audio_url: "https://example.com/a.mp3" }, { seconds: 600 }, 325, "estimated"],
  ])("is charged by %s, and the record says so", async (_whose, output, usage, audioMs, source) => {
    answer({ output, usage });
    const given = await say("speaker");
    expect(given.status, given.text).toBe(200);
    expect(given.json.cost).toBe(audioMs / 100_000);
    // Slow speech of five letters and a pause of ten seconds.
    expect(await recordOf(given)).toMatchObject({
      audio_ms: audioMs,
      audio_source: source,
      held: 0.10975,
    });
  });

  it("is as long as the reference provider says", async () => {
    const given = await say("tone", "A tone, please.");
    expect(given.json.cost).toBe(0.005);
    expect(await recordOf(given)).toMatchObject({ audio_ms: 500, audio_source: "provider" });
  });

  it("is refused where the worst case is not covered, by the length of the text", async () => {
    const poor = await openCustomer(service, 0.11);
    answer({ output: { audio_url: makeWav() } });
    const short = { input: "Hello", model: "speaker" };
    expect((await service.call("POST", "/v1/audio", short, { key: poor.key })).status).toBe(200);
    const long = { input: "Hello ".repeat(100), model: "speaker" };
    expectRefusal(await service.call("POST", "/v1/audio", long, { key: poor.key }), 402, "insufficient_balance");
    expect(provider.calls).toHaveLength(1);
  });

  it("that was attached is charged by its length, beside the tokens", async () => {
    answer({ output: "Fine.", usage: { input_tokens: 10, output_tokens: 20 } });
    const attachments = [{ type: "audio", url: makeWav({ bytes: 16_000 }) }];
    const given = await ask("listener", { task: "multimodal", attachments });
    expect(given.json.cost).toBe(0.02005);
    expect(await recordOf(given)).toMatchObject({ audio_ms: 2_000, audio_source: "measured" });
  });

  it("of the built-in voice is counted and costs nothing", async () => {
    const given = await say("builtin/voice");
    expect(given.json.cost).toBe(0);
    const record = await recordOf(given);
    expect(record).toMatchObject({ audio_source: "measured", cost: 0 });
    expect(record.audio_ms).toBeGreaterThan(0);
  });
});

describe("a price that changes while a provider still answers", () => {
  it("holds from the next request on; the running one is charged by the version it was quoted", async () => {
    const mayEnd = newGate();
    provider.script = async (response) => {
      response.write('{"delta":"one "}');
      await mayEnd.opened;
      response.end('{"delta":"two"}{"done":true,"usage":{"input_tokens":10,"output_tokens":20}}');
    };
    const running = ask("moving", {}, "/v1/stream");
    await expect.poll(() => provider.calls.length).toBe(1);
    const before = await service.call("GET", "/v1/provider/models/moving");
    const pricing = { per_request: 2, cached_input_per_1k_tokens: 0, per_second: 1 };
    const changed = await service.call("PATCH", "/v1/provider/models/moving", { pricing });
    expect(changed.json.price_version).not.toBe(before.json.price_version);
    mayEnd.open();
    const first = await running;
    expect(JSON.parse(first.text.trim().split("\n").at(-1) ?? "")).toMatchObject({ cost: 1.00005 });
    expect(await recordOf(first)).toMatchObject({
      price_version: before.json.price_version,
      cost: 1.00005,
    });
    const next = await ask("moving", {}, "/v1/stream");
    expect(await recordOf(next)).toMatchObject({ price_version: changed.json.price_version, cost: 2.00005 });
  });
});
