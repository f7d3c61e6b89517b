import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Customer, openCustomer } from "../support/customer.ts";
import { registerAsOtherAccount } from "../support/other-accounts-model.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let provider: ScriptedProvider;
let owner: Customer;
let client: Customer;

beforeAll(async () => {
  service = await startService();
  provider = await startProvider();
  owner = await openCustomer(service, 0);
  client = await openCustomer(service, 1_000);
});

afterAll(async () => {
  await service.stop();
  await provider.stop();
});

const ONE_PER_1K = { input_per_1k_tokens: 1, output_per_1k_tokens: 1 };

/** The answer to one request to a model of another account, which reports `usage` for `output`. */
async function askFor(
  name: string,
  usage: Record<string, unknown>,
  { output = "Hello there.", path = "/v1/ai/request", more = {} }: Partial<Ask> = {},
) {
  provider.script = (response) => void response.end(JSON.stringify({ output, usage }));
  const body = { task: "chat", input: "Say hello please", model: `${owner.provider}/${name}`, ...more };
  const answer = await service.call("POST", path, body, { key: client.key });
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
}

interface Ask {
  readonly output: unknown;
  readonly path: string;
  readonly more: Record<string, unknown>;
}

const register = (name: string, more: Record<string, unknown>) =>
  registerAsOtherAccount(service, owner, registrationOf(provider, name, more), "active");

describe("what another account's model reports of its usage", () => {
  it("is charged only where it is hardly more than our own count", async () => {
    await register("talker", { pricing: ONE_PER_1K });
    const { cost: counted } = await askFor("talker", {});
    expect(counted).toBeLessThan(0.01);
    expect((await askFor("talker", { input_tokens: 271, output_tokens: 271 })).cost).toBe(counted);
    expect((await askFor("talker", { input_tokens: 1, output_tokens: 271 })).cost).toBe(counted);
    expect((await askFor("talker", { input_tokens: 5, output_tokens: 5 })).cost).toBe(0.01);
  });

  it("never pays for reasoning that it did not show, whatever it lists", async () => {
    await register("thinker", { pricing: ONE_PER_1K, capabilities: ["chat", "reasoning"] });
    const more = { parameters: { max_tokens: 1_000 } };
    const { cost: counted } = await askFor("thinker", {}, { more });
    const reported = { input_tokens: 3, output_tokens: 900, reasoning_tokens: 890 };
    expect((await askFor("thinker", reported, { more })).cost).toBe(counted);
  });

  it("makes input cheaper by its cache, never dearer", async () => {
    await register("cacher", {
      pricing: { ...ONE_PER_1K, cached_input_per_1k_tokens: 100, cache_write_per_1k_tokens: 100 },
    });
    const plain = await askFor("cacher", { input_tokens: 4, output_tokens: 4 });
    const read = { input_tokens: 4, output_tokens: 4, cached_input_tokens: 4 };
    expect((await askFor("cacher", read)).cost).toBe(plain.cost);
    const written = { input_tokens: 4, output_tokens: 4, cache_write_tokens: 4 };
    expect((await askFor("cacher", written)).cost).toBe(plain.cost);
  });

  it("does not make seconds of speech that nobody can measure much longer than a text of its length takes", async () => {
    await register("speaker", { type: "audio", pricing: { per_second: 1 }, capabilities: ["audio"] });
    const output = { audio_url: "https://example.com/a.mp3" };
    const ask = { output, path: "/v1/audio", more: { task: undefined } };
    const { cost: counted } = await askFor("speaker", {}, ask);
    const { cost } = await askFor("speaker", { seconds: counted * 1.5 + 2 }, ask);
    expect(cost).toBe(counted);
  });
});

describe("what the operator's model reports of its usage", () => {
  it("is believed within the wide bounds that tokenizers and templates need", async () => {
    const made = await service.call(
      "POST",
      "/v1/provider/models",
      registrationOf(provider, "own-talker", { pricing: ONE_PER_1K }),
    );
    expect(made.status, made.text).toBe(201);
    const usage = { input_tokens: 200, output_tokens: 200 };
    provider.script = (response) => void response.end(JSON.stringify({ output: "Hello there.", usage }));
    const body = { task: "chat", input: "Say hello please", model: "own-talker" };
    expect((await service.call("POST", "/v1/ai/request", body, { key: client.key })).json.cost).toBe(0.4);
  });
});
