import { answerPlainly, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let provider: ScriptedProvider;
const PRICING = { input_per_1k_tokens: 0.001, output_per_1k_tokens: 0.002 };

beforeAll(async () => {
  provider = await startProvider();
  service = await startService();
  const register = async (name: string, more: object) => {
    const { status } = await service.call("POST", "/v1/provider/models", {
      name,
      type: "text",
      endpoint: provider.endpoint,
      pricing: PRICING,
      ...more,
    });
    expect(status).toBe(201);
  };
  await register("silent", {});
  await register("german", { data: { regions: ["DE"], retention_days: 0, source: "https://example.com/terms" } });
  await register("american", { data: { regions: ["us"], retention_days: 0 }, backups: ["silent", "german"] });
  await register("keeper", { data: { regions: ["fr"], retention_days: 30 }, backups: ["american"] });
});
afterAll(async () => {
  await service.stop();
  await provider.stop();
});
beforeEach(() => {
  provider.script = answerPlainly;
  provider.calls.length = 0;
});

const ask = (more: object = {}, options = {}) =>
  service.call("POST", "/v1/ai/request", { task: "chat", input: "Hello", ...more }, options);
const setRules = async (data_rules: object) =>
  expect((await service.call("PATCH", "/v1/settings", { data_rules })).status).toBe(200);
const newKey = async (data_rules: object | null) =>
  (await service.call("POST", "/v1/keys", { name: "k", scopes: ["inference", "manage"], data_rules })).json;

describe("what is claimed of a model's data", () => {
  it("is shown as a claim, with who claims it", async () => {
    const { json } = await service.call("GET", "/v1/models/german");
    expect(json.providers[0].data).toEqual({
      regions: ["de"],
      retention_days: 0,
      claimed_by: "operator",
      source: "https://example.com/terms",
    });
    expect((await service.call("GET", "/v1/models/silent")).json.providers[0].data).toBeNull();
  });

  it.each([{ regions: ["mars"] }, { regions: [] }, { retention_days: -1 }, { source: "javascript:alert(1)" }])(
    "can't be %j",
    async (data) => {
      const answer = await service.call("PATCH", "/v1/provider/models/silent", { data });
      expect(answer.status).toBe(400);
    },
  );
});

describe("an account's data rules", () => {
  it("bound which model serves, whatever the strategy", async () => {
    await setRules({ regions: ["eu"], retention_days: 0 });
    for (const route of ["cost", "speed", "quality", "hybrid"])
      expect((await ask({ route })).json.model_used).toBe("german");
  });

  it("refuse a named model with what it lacks, and charge and call nothing", async () => {
    const answer = await ask({ model: "silent" });
    expect(answer.status).toBe(403);
    expect(answer.json.error).toMatchObject({ type: "data_rules_unmet" });
    expect(answer.json.error.message).toContain(
      "operator/silent: it does not say where it processes data, and only eu is allowed",
    );
    expect((await ask({ model: "keeper", fallbacks: ["american"] })).json.error.message).toMatch(
      /keeper: it keeps data for 30 days, and none is allowed; .*american: it processes data in us/,
    );
    expect(provider.calls).toHaveLength(0);
  });

  it("hold for failover to fallbacks and backups", async () => {
    let calls = 0;
    provider.script = async (response) => {
      calls += 1;
      response.writeHead(500).end();
    };
    expect((await ask({ model: "german", fallbacks: ["american", "silent"] })).status).toBe(502);
    expect(provider.calls.length).toBe(calls);
    provider.script = answerPlainly;
    // Its own backups are silent and german: only the one that keeps the rules takes over.
    const answer = await ask({ model: "american" });
    expect(answer.json.model_used).toBe("german");
  });

  it("can be narrowed by a request, in every format, and never loosened", async () => {
    await setRules({ regions: ["eu", "us"], retention_days: null });
    expect((await ask({ preferences: { data_regions: ["US"] } })).json.model_used).toBe("american");
    expect((await ask({}, { headers: { "x-trunkline-data": "regions=de; retention=0" } })).json.model_used).toBe(
      "german",
    );
    const messages = [{ role: "user", content: "Hello" }];
    const chat = (more: object) => service.call("POST", "/v1/chat/completions", { model: "keeper", messages, ...more });
    expect((await chat({})).status).toBe(200);
    // Its backup, which keeps nothing, takes over.
    for (const provider of [{ zdr: true }, { data_collection: "deny" }])
      expect((await chat({ provider })).json.model).toContain("american");
    const wide = await ask({ model: "silent", preferences: { data_regions: ["eu", "us", "ch"] } });
    expect(wide.status).toBe(403);
    const elsewhere = await ask({ preferences: { data_regions: ["jp"] } });
    expect(elsewhere.json.error.message).toContain("no place that the account, the key and the request have in common");
  });

  it.each([
    [{ preferences: { data_regions: ["mars"] } }, {}],
    [{ preferences: { data_regions: [] } }, {}],
    [{ preferences: { data_retention_days: -1 } }, {}],
    [{}, { "x-trunkline-data": "regions" }],
    [{}, { "x-trunkline-data": "retention=never" }],
    [{}, { "x-trunkline-data": "regions=europe" }],
  ])("refuse the wish %j %j", async (body, headers) => {
    expect((await ask(body, { headers })).status).toBe(400);
  });

  it("are shown in previews as reasons", async () => {
    await setRules({ regions: ["eu"] });
    const { json } = await service.call("POST", "/v1/routing/preview", { task: "chat", input: "Hello" });
    expect(JSON.stringify(json)).toContain("it does not say where it processes data");
  });
});

describe("a key's data rules", () => {
  it("hold besides the account's, and for the keys that it makes", async () => {
    await setRules({ regions: null, retention_days: null });
    const made = await newKey({ regions: ["eu"], retention_days: 0 });
    expect(made.data_rules).toEqual({ regions: ["eu"], retention_days: 0 });
    expect((await ask({ model: "american", fallbacks: [] }, { key: made.key })).json.model_used).toBe("german");
    expect((await ask({ model: "silent" }, { key: made.key })).status).toBe(403);
    const child = await service.call("POST", "/v1/keys", { name: "c", scopes: ["inference"] }, { key: made.key });
    expect(child.json.data_rules).toEqual({ regions: ["eu"], retention_days: 0 });
    const looser = { data_rules: { regions: ["us"] } };
    expect((await service.call("PATCH", `/v1/keys/${child.json.id}`, looser, { key: made.key })).status).toBe(403);
    const open = await newKey(null);
    expect((await ask({ model: "silent" }, { key: open.key })).status).toBe(200);
  });
});
