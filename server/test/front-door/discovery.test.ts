import { inspect } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { prepareOperator } from "../../src/app/first-start.ts";
import { openDatabase } from "../../src/store/database/database.ts";
import { auditLedger } from "../../src/store/ledger/audit.ts";
import { openCustomer } from "../support/customer.ts";
import { chatAnswer, keyIn, refusal, startDiscovering, startWithOpenAi } from "../support/openai-upstream.ts";
import { registerUpstream, startUpstream, type Upstream } from "../support/scripted-upstream.ts";
import { type StartedService, startSibling } from "../support/started-service.ts";

const KEYS = ["sk-first-of-two-keys", "sk-second-of-two-keys"];

let upstream: Upstream;
let service: StartedService;
const ask = (model: string, options = {}) =>
  service.call("POST", "/v1/generate", { model, input: "Hello", parameters: { max_tokens: 100 } }, options);
const keysSeen = () => upstream.requests.map(keyIn);

beforeAll(async () => {
  ({ upstream, service } = await startWithOpenAi({
    OPENAI_API_KEY: KEYS.join(","),
    TRUNKLINE_DISCOVER_MODELS: "openai/gpt-4*, openai/text-embedding*, !openai/gpt-4-32k",
  }));
});

afterAll(async () => {
  await service.stop();
  await upstream.close();
});

beforeEach(() => {
  upstream.requests.length = 0;
  upstream.answer(() => chatAnswer("Hello."));
});

describe("a provider's key in the environment", () => {
  it("adds its models, with their prices, sizes and abilities, for every account", async () => {
    const customer = await openCustomer(service, 1);
    const answer = await service.call("GET", "/v1/models/openai/gpt-4o-mini", undefined, {
      key: customer.key,
    });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json.providers[0]).toMatchObject({
      full_name: "openai/gpt-4o-mini",
      type: "multimodal",
      own_key: false,
      pricing: {
        input_per_1k_tokens: 0.00015,
        output_per_1k_tokens: 0.0006,
        cached_input_per_1k_tokens: 0.000075,
      },
      context_window: 128_000,
      capabilities: ["text", "chat", "code", "vision", "tools", "json"],
    });
    expect(answer.json.providers[0].created_at).not.toBeNull();
  });

  it("shows them in the catalogue and in the operator's list", async () => {
    const catalogue = await service.call("GET", "/v1/catalogue?provider=openai&limit=100");
    expect(catalogue.json.data.map((item: { name: string }) => item.name)).toContain("gpt-4.1-mini");
    const admin = await service.call("GET", "/v1/admin/models?provider=openai&limit=100");
    expect(admin.json.data.length).toBe(catalogue.json.data.length);
  });

  it("is narrowed by patterns", async () => {
    const names = (await service.call("GET", "/v1/models?provider=openai")).json.map(
      (model: { name: string }) => model.name,
    );
    expect(names).toContain("text-embedding-3-small");
    expect(names).not.toContain("gpt-4-32k");
    expect(names).not.toContain("o3");
    expect((await ask("openai/o3")).json.error.type).toBe("model_not_found");
  });

  it("serves and charges by the table's price, and the audit finds the charge right", async () => {
    const answer = await ask("openai/gpt-4o-mini");
    expect(answer.status, answer.text).toBe(200);
    const record = await service.call("GET", `/v1/requests/${answer.headers.get("x-request-id")}`);
    // 10 tokens at 0.15 and 5 at 0.60 dollars a million.
    expect(record.json).toMatchObject({ cost: 0.0000045, own_key: false });
    expect(upstream.requests[0]).toMatchObject({
      path: "/v1/chat/completions",
      json: { model: "gpt-4o-mini" },
    });
    const database = openDatabase(service.address, () => undefined, { connections: 1 });
    const { findings } = await auditLedger(database);
    await database.close();
    expect(findings.filter(({ verdict }) => verdict === "broken")).toEqual([]);
  });

  it("keeps one id for each model and one version for each price, however often the service starts", async () => {
    const idsAndVersions = async () =>
      (await service.services.providers.modelStore.all()).map(({ id, price }) => [id, price?.version]);
    const before = await idsAndVersions();
    await prepareOperator(service.services);
    expect(await idsAndVersions()).toEqual(before);
  });

  it("is never kept in the store", async () => {
    const database = openDatabase(service.address, () => undefined, { connections: 1 });
    const rows = await database.query("SELECT * FROM models WHERE discovered AND sealed_credential IS NOT NULL");
    await database.close();
    expect(rows).toEqual([]);
  });

  it("lets the operator suspend a model, also beyond the next start", async () => {
    const list = await service.call("GET", "/v1/admin/models?q=openai/gpt-4.1-nano");
    const { id } = list.json.data[0];
    await service.call("POST", `/v1/admin/models/${id}/suspend`, { reason: "Not wanted." });
    await prepareOperator(service.services);
    expect((await ask("openai/gpt-4.1-nano")).json.error.message).toContain("suspended");
    await service.call("POST", `/v1/admin/models/${id}/approve`);
    expect((await ask("openai/gpt-4.1-nano")).status).toBe(200);
  });

  it("makes models that can't be changed", async () => {
    const answer = await service.call("PATCH", "/v1/provider/models/openai%2Fgpt-4o", {
      description: "Mine.",
    });
    expect(answer.status, answer.text).toBe(409);
    expect(answer.json.error.message).toContain("TRUNKLINE_DISCOVER_MODELS");
  });

  it("is another instance's own: one without it offers nothing", async () => {
    const sibling = await startSibling(service);
    const models = await sibling.call("GET", "/v1/models?provider=openai");
    await sibling.stop();
    expect(models.json).toEqual([]);
    expect((await ask("openai/gpt-4o")).status).toBe(200);
  });
});

describe("several keys", () => {
  it("take turns", async () => {
    for (let count = 0; count < 4; count++) await ask("openai/gpt-4o");
    const seen = keysSeen();
    expect(new Set(seen)).toEqual(new Set(KEYS));
    expect(seen[0]).toBe(seen[2]);
    expect(seen[1]).toBe(seen[3]);
  });

  it.each([
    [401, "gpt-4", {}],
    [403, "gpt-4-turbo", {}],
    [429, "gpt-4.1", { "retry-after": "60" }],
  ])("stand in for one that gets %i, within the same attempt, and it rests", async (status, model, headers) => {
    upstream.answer((request) =>
      keyIn(request) === KEYS[0] ? refusal(status, request, headers) : chatAnswer("From the second."),
    );
    for (let count = 0; count < 4; count++) {
      const answer = await ask(`openai/${model}`);
      expect(answer.status, answer.text).toBe(200);
      const record = await service.call("GET", `/v1/requests/${answer.headers.get("x-request-id")}`);
      expect(record.json.attempts).toHaveLength(1);
    }
    expect(keysSeen().filter((key) => key === KEYS[0])).toHaveLength(1);
    expect(service.logged()).toContain("Key 1 of 2 for openai was");
  });

  it("that are all refused are the provider's failure", async () => {
    upstream.answer((request) => refusal(401, request));
    const answer = await ask("openai/gpt-4-vision-preview");
    expect(answer.status).toBe(502);
    expect(answer.json.error.message).toContain("refused our credential");
    expect(new Set(keysSeen())).toEqual(new Set(KEYS));
  });

  it("that all rest after 429 say when to come back", async () => {
    upstream.answer((request) => refusal(429, request, { "retry-after": "30" }));
    const answer = await ask("openai/gpt-4o-2024-05-13");
    expect(answer.status).toBe(502);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  it("are in no log, no record, no error and no figure, even where the provider repeats them", async () => {
    upstream.answer((request) => refusal(401, request));
    const refused = await ask("openai/gpt-4.1-mini");
    const record = await service.call("GET", `/v1/requests/${refused.headers.get("x-request-id")}`);
    const lists = await Promise.all(
      ["/v1/requests", "/v1/admin/models", "/v1/provider/models", "/v1/catalogue", "/metrics", "/v1/audit-log"].map(
        (path) => service.call("GET", path),
      ),
    );
    const database = openDatabase(service.address, () => undefined, { connections: 1 });
    const stored = await database.query("SELECT r::text AS row FROM requests r UNION ALL SELECT m::text FROM models m");
    await database.close();
    const everything = [
      service.logged(),
      refused.text,
      record.text,
      JSON.stringify(stored),
      inspect(service.services.config, { depth: 9 }),
      ...lists.map(({ text }) => text),
    ].join("\n");
    for (const key of KEYS) expect(everything).not.toContain(key);
    expect(everything).toContain("[secret]");
  });
});

describe("a name that is taken", () => {
  it("by a registered model stays with that", async () => {
    const own = await startUpstream(() => chatAnswer("From the registered one."));
    const registering = await startDiscovering({ OPENAI_BASE_URL: `${own.url}/v1` });
    await registering.services.providers.modelStore.insert({
      ...(await registeredLike(registering, `${own.url}/v1`)),
      provider: "openai",
      name: "gpt-4o",
    });
    const found = await startSibling(registering, (config) => ({
      ...config,
      discovery: service.services.config.discovery,
    }));
    const answer = await found.call("POST", "/v1/generate", { model: "openai/gpt-4o", input: "Hello" });
    expect(answer.json.output).toBe("From the registered one.");
    await found.stop();
    await registering.stop();
    await own.close();
  });
});

/** A model as the operator has registered it. */
async function registeredLike(started: StartedService, endpoint: string) {
  await registerUpstream(started, { wire: "openai", name: "template", endpoint });
  const model = started.services.providers.catalogue.registered().find(({ name }) => name === "template");
  if (model?.price === undefined) throw new Error("The template was not registered.");
  return { ...model, id: "00000000-0000-7000-8000-000000000001", price: model.price };
}
