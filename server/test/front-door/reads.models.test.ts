import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openCustomer } from "../support/customer.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let provider: ScriptedProvider;

beforeAll(async () => {
  service = await startService();
  provider = await startProvider();
  for (const [name, more] of [
    [
      "writer",
      {
        capabilities: ["Chat", "completion"],
        specialties: ["law"],
        performance: { avg_latency_ms: 90, accuracy_score: 0.8 },
      },
    ],
    ["painter", { type: "image", pricing: { per_image: 0.04 }, capabilities: ["image-generation"] }],
    ["speaker", { type: "audio", pricing: { per_request: 0.01 }, capabilities: [] }],
    ["seer", { type: "multimodal" }],
    ["vectors", { type: "embedding", pricing: { input_per_1k_tokens: 0.0001 } }],
  ] as const) {
    const made = await service.call("POST", "/v1/provider/models", registrationOf(provider, name, more));
    expect(made.status, made.text).toBe(201);
  }
});

afterAll(async () => {
  await service.stop();
  await provider.stop();
});

const list = async (query = "") =>
  (await service.call("GET", `/v1/models${query}`)).json as { name: string; type: string }[];
const namesOf = async (query: string) => (await list(query)).map(({ name }) => name).sort();

describe("GET /v1/models", () => {
  it("is exactly an array of name and type, one entry a name", async () => {
    const models = await list();
    expect(models.length).toBeGreaterThanOrEqual(9);
    for (const model of models) {
      expect(Object.keys(model).sort()).toEqual(["name", "type"]);
      expect(["text", "image", "audio", "multimodal", "embedding"]).toContain(model.type);
    }
    expect(new Set(models.map(({ name }) => name)).size).toBe(models.length);
    expect(models).toEqual(
      expect.arrayContaining([
        { name: "writer", type: "text" },
        { name: "guide", type: "text" },
      ]),
    );
  });

  it("is filtered by type, capability and provider, together as well", async () => {
    expect(await namesOf("?type=embedding")).toEqual(["embed", "vectors"]);
    expect(await namesOf("?type=image")).toEqual(["painter", "sketch"]);
    expect(await namesOf("?capability=completion&provider=operator")).toEqual(["writer"]);
    expect(await namesOf("?capability=CHAT&provider=operator")).toEqual(["seer", "vectors", "writer"]);
    expect(await namesOf("?provider=operator&type=image")).toEqual(["painter"]);
    expect(await namesOf("?provider=builtin&type=text")).toEqual(["guide", "summary"]);
    expect(await list("?provider=nobody")).toEqual([]);
    expect(await list("?capability=flying")).toEqual([]);
  });

  it("refuses a type that is none, and lists those that are", async () => {
    for (const type of ["video", "", "Text", "text&type=image"]) {
      expectRefusal(await service.call("GET", `/v1/models?type=${type}`), 400, "invalid_request", {
        param: "type",
        ...(type.includes("&") ? {} : { message: /text, image, audio, multimodal, embedding/ }),
      });
    }
  });

  it("needs the scope `read`", async () => {
    const { key } = await openCustomer(service, 0, { scopes: ["inference"] });
    for (const path of [
      "/v1/models",
      "/v1/models/writer",
      "/v1/usage",
      "/v1/usage/breakdown",
      "/v1/routing",
      "/v1/balance",
      "/v1/requests",
    ]) {
      expectRefusal(await service.call("GET", path, undefined, { key }), 403, "insufficient_scope");
    }
  });
});

describe("GET /v1/models/{name}", () => {
  it("tells everything public about a model, under its name and under provider/name", async () => {
    const { status, json } = await service.call("GET", "/v1/models/writer");
    expect(status).toBe(200);
    expect(json).toMatchObject({
      name: "writer",
      type: "text",
      providers: [
        {
          provider: "operator",
          name: "writer",
          state: "active",
          pricing: {
            input_per_1k_tokens: 0.001,
            cached_input_per_1k_tokens: null,
            cache_write_per_1k_tokens: null,
            output_per_1k_tokens: 0.002,
            per_image: 0,
            per_request: 0,
            per_second: 0,
          },
          capabilities: ["chat", "completion"],
          specialties: ["law"],
          performance: { avg_latency_ms: 90, accuracy_score: 0.8 },
          live: { available: true, calls: 0, error_rate: 0 },
        },
      ],
    });
    expect((await service.call("GET", "/v1/models/operator/writer")).json).toEqual(json);
    expect((await service.call("GET", "/v1/models/operator%2Fwriter")).json).toEqual(json);
  });

  it("knows how a model does from its own calls", async () => {
    await service.call("POST", "/v1/ai/request", { task: "chat", input: "Hello", model: "writer" });
    const { json } = await service.call("GET", "/v1/models/writer");
    expect(json.providers[0].live).toMatchObject({ available: true, calls: 1, error_rate: 0 });
    expect(json.providers[0].live.latency_ms).toBeGreaterThanOrEqual(0);
  });

  it("answers 404 for a model that does not exist", async () => {
    for (const name of ["nobody", "nobody/writer", "operator/nobody", "Writer", "operator/writer/x"]) {
      expectRefusal(await service.call("GET", `/v1/models/${name}`), 404, "model_not_found", {
        param: "name",
      });
    }
  });
});
