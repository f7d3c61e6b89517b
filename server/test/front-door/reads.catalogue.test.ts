import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import {
  answerPlainly,
  registrationOf,
  type ScriptedProvider,
  startProvider,
} from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openCustomer } from "../support/customer.ts";
import { openMember } from "../support/member.ts";
import { type StartedService, startService, startSibling } from "../support/started-service.ts";

let service: StartedService;
let sibling: StartedService;
let provider: ScriptedProvider;

beforeAll(async () => {
  provider = await startProvider();
  service = await startService();
  sibling = await startSibling(service);
  for (const [name, more] of [
    ["writer", { description: "Writes LETTERS", specialties: ["law"], performance: { accuracy_score: 0.8 } }],
    [
      "dear",
      {
        pricing: { input_per_1k_tokens: 1, output_per_1k_tokens: 2 },
        performance: { accuracy_score: 0.9, avg_latency_ms: 5 },
      },
    ],
    ["painter", { type: "image", pricing: { per_image: 0.04 }, capabilities: ["image-generation"] }],
    ["faulty", {}],
  ] as const) {
    const made = await service.call("POST", "/v1/provider/models", registrationOf(provider, name, more));
    expect(made.status, made.text).toBe(201);
  }
  await vi.waitUntil(() => sibling.services.providers.catalogue.byName("faulty").length === 1, { timeout: 240_000 });
});

afterAll(async () => {
  await sibling.stop();
  await service.stop();
  await provider.stop();
});

interface Listed {
  readonly full_name: string;
  readonly live: Record<string, unknown>;
  readonly availability: { readonly at: string; readonly calls: number; readonly state: string }[];
}

const read = async (query = "", at = service) => {
  const answer = await at.call("GET", `/v1/catalogue${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.json as { data: Listed[]; next_cursor: string | null };
};
const namesOf = async (query: string) => (await read(query)).data.map(({ full_name }) => full_name);
const only = async (name: string, at = service) => {
  const { data } = await read(`?q=${name}&provider=operator`, at);
  const [model] = data;
  if (model === undefined) throw new Error(`${name} is not listed.`);
  return model;
};
const ask = (model: string, at = service) => at.call("POST", "/v1/ai/request", { task: "chat", input: "Hello", model });

describe("GET /v1/catalogue", () => {
  it("lists every model of every provider with all that is public", async () => {
    const { data, next_cursor } = await read("?limit=100");
    expect(next_cursor).toBeNull();
    expect(data).toHaveLength(9);
    const writer = data.find(({ full_name }) => full_name === "operator/writer");
    expect(writer).toMatchObject({
      provider: "operator",
      name: "writer",
      type: "text",
      description: "Writes LETTERS",
      state: "active",
      pricing: { input_per_1k_tokens: 0.001, output_per_1k_tokens: 0.002, cached_input_per_1k_tokens: null },
      capabilities: ["chat"],
      specialties: ["law"],
      performance: { accuracy_score: 0.8, avg_latency_ms: null },
      streaming: false,
      context_window: null,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      live: { available: true, calls: 0, error_rate: 0, latency_ms: null, tokens_per_second: null },
    });
    expect(JSON.stringify(data)).not.toContain(provider.endpoint);
    expect(data.find(({ full_name }) => full_name === "builtin/guide")).toMatchObject({ created_at: null });
  });

  it("tells the same quality as the preview of a route", async () => {
    const input = "Explain in a few sentences how a bicycle stays upright while it moves.";
    const answer = await service.call("POST", "/v1/routing/preview", { task: "chat", input });
    expect(answer.status, answer.text).toBe(200);
    const { candidates } = answer.json as { candidates: { model: string; predicted_quality: number }[] };
    const { data } = await read("?limit=100");
    for (const { model, predicted_quality: quality } of candidates) {
      const listed = data.find(({ full_name }) => full_name === model) as { performance?: Record<string, unknown> };
      expect(listed.performance?.predicted_quality, model).toBeCloseTo(quality, 1);
    }
    expect(candidates.length).toBeGreaterThan(1);
  });

  it("tells the quality that routing predicts, also where none is declared, and none of models that answer nothing", async () => {
    const { data } = await read("?limit=100");
    const performanceOf = (name: string) =>
      (data.find(({ full_name }) => full_name === name) as { performance?: Record<string, unknown> })?.performance;
    expect(performanceOf("operator/faulty")).toMatchObject({ accuracy_score: null });
    const { predicted_quality: quality } = performanceOf("operator/faulty") ?? {};
    expect(quality).toBeGreaterThan(0);
    expect(quality).toBeLessThan(1);
    expect(performanceOf("operator/painter")).toMatchObject({ predicted_quality: null });
  });

  it("finds by words, type, capability and provider, together as well", async () => {
    expect(await namesOf("?q=LETTERS")).toEqual(["operator/writer"]);
    expect(await namesOf("?q=operator%20law")).toEqual(["operator/writer"]);
    expect(await namesOf("?q=operator&type=image")).toEqual(["operator/painter"]);
    expect(await namesOf("?capability=Image-Generation&provider=operator")).toEqual(["operator/painter"]);
    expect(await namesOf("?provider=builtin&type=audio")).toEqual(["builtin/voice"]);
    expect(await namesOf("?q=nothing-like-it")).toEqual([]);
  });

  it("sorts by name, price, quality and latency; what is not known comes last", async () => {
    const sorted = (by: string) => namesOf(`?provider=operator&sort=${by}`);
    const names = ["operator/dear", "operator/faulty", "operator/painter", "operator/writer"];
    expect(await sorted("name")).toEqual(names);
    expect(await sorted("price")).toEqual(["operator/faulty", "operator/writer", "operator/painter", "operator/dear"]);
    expect((await sorted("quality")).slice(0, 2)).toEqual(["operator/dear", "operator/writer"]);
    expect((await sorted("latency"))[0]).toBe("operator/dear");
    expect((await sorted("newest"))[0]).toBe("operator/faulty");
    expect(await namesOf("?sort=newest&limit=1")).toEqual(["operator/faulty"]);
  });

  it.each(["name", "price", "quality", "latency", "throughput", "newest"])(
    "comes in pages without a gap or a repetition, sorted by %s",
    async (sort) => {
      const whole = await namesOf(`?sort=${sort}&limit=100`);
      const paged: string[] = [];
      let cursor: string | null = null;
      do {
        const query: string = cursor === null ? "" : `&cursor=${cursor}`;
        const page = await read(`?sort=${sort}&limit=3${query}`);
        paged.push(...page.data.map(({ full_name }) => full_name));
        cursor = page.next_cursor;
      } while (cursor !== null);
      expect(paged).toEqual(whole);
    },
  );

  it("refuses what is no type, no order, no limit and no cursor", async () => {
    for (const [query, param] of [
      ["type=video", "type"],
      ["sort=colour", "sort"],
      ["limit=101", "limit"],
      ["limit=0", "limit"],
      ["cursor=nonsense", "cursor"],
      ["cursor=W10", "cursor"],
      [`q=${"x".repeat(257)}`, "q"],
    ] as const) {
      expectRefusal(await service.call("GET", `/v1/catalogue?${query}`), 400, "invalid_request", { param });
    }
  });

  it("is for keys with the scope `read` and for every member", async () => {
    expectRefusal(await service.call("GET", "/v1/catalogue", undefined, { key: null }), 401, "missing_api_key");
    const { key } = await openCustomer(service, 0, { scopes: ["inference"] });
    expectRefusal(await service.call("GET", "/v1/catalogue", undefined, { key }), 403, "insufficient_scope");
    const viewer = await openMember(service, "viewer");
    expect((await viewer.call("GET", "/v1/catalogue")).status).toBe(200);
  });
});

describe("how the endpoints do", () => {
  it("is seen by every instance, hour by hour in the list and quarter by quarter of one model", async () => {
    await ask("writer");
    await ask("writer", sibling);
    expect((await only("writer")).live).toMatchObject({ calls: 1, error_rate: 0 });
    await Promise.all([
      service.services.providers.endpointStatsWriter.flush(),
      sibling.services.providers.endpointStatsWriter.flush(),
    ]);
    for (const at of [service, sibling]) {
      at.services.providers.endpointStats.invalidate();
      const { live, availability } = await only("writer", at);
      expect(live).toMatchObject({ calls: 2, error_rate: 0, latency_ms: expect.any(Number) });
      expect(availability).toHaveLength(24);
      expect(availability.reduce((sum, { calls }) => sum + calls, 0)).toBe(2);
      expect(availability[0]).toMatchObject({ calls: 0, failures: 0, state: "no data" });
      const { json } = await at.call("GET", "/v1/models/writer");
      expect(json.providers[0].availability).toHaveLength(96);
      expect(json.providers[0].live).toEqual(live);
    }
  });

  it("counts a failure of the provider, and none of the client", async () => {
    provider.script = (response) => {
      response.statusCode = 500;
      response.end("{}");
    };
    // Alone as it is, it is called twice.
    expect((await ask("faulty")).status).toBe(502);
    provider.script = (response) => {
      response.statusCode = 400;
      response.end(JSON.stringify({ error: { message: "no such voice", code: 400 } }));
    };
    await ask("faulty");
    provider.script = answerPlainly;
    await ask("faulty");
    const { live, availability } = await only("faulty");
    expect(live).toMatchObject({ calls: 3, error_rate: expect.closeTo(2 / 3, 5) });
    expect(availability.filter(({ calls }) => calls > 0)).toMatchObject([{ failures: 2, state: "down" }]);
  });

  it("is the same on the operator's page", async () => {
    await ask("faulty");
    await ask("faulty");
    const { live } = await only("faulty");
    const { json } = await service.call("GET", "/v1/admin/health");
    expect(json.troubled).toEqual([
      { model: "operator/faulty", state: expect.any(String), error_rate: live.error_rate, calls: live.calls },
    ]);
  });

  it("counts the built-in models too", async () => {
    await ask("guide");
    const { data } = await read("?provider=builtin&q=guide");
    expect(data[0]?.live).toMatchObject({ calls: 1, error_rate: 0 });
  });

  it("outlives the instance that saw it", async () => {
    const third = await startSibling(service);
    expect((await ask("dear", third)).status).toBe(200);
    await third.stop();
    service.services.providers.endpointStats.invalidate();
    expect((await only("dear")).live).toMatchObject({ calls: 1 });
  });
});
