import { newId } from "@trunkline/core/id.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { sampleCaller, sampleInference } from "@trunkline/testing/samples.ts";
import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { toModelTerms } from "../../src/http/requests/model-schema.ts";
import { planRoute } from "../../src/pipeline/plan-route.ts";
import { type Customer, openCustomer } from "../support/customer.ts";
import { type Answer, type CallOptions, type StartedService, startService } from "../support/started-service.ts";

const NAMES = ["alpha/twin", "beta/twin", "alpha/dear", "alpha/near", "gamma/spare"];

let service: StartedService;
let provider: ScriptedProvider;
let customer: Customer;
/** What chance says in this test. */
let draw: number;

beforeAll(async () => {
  provider = await startProvider();
  const models = NAMES.map((fullName) => {
    const [of = "", name = ""] = fullName.split("/");
    const { name: _, ...terms } = registrationOf(provider, name);
    const share = name === "spare" ? { weight: 0, canary_share: 0.5 } : {};
    const price = name === "twin" ? 0.001 : name === "near" ? 0.0011 : 0.1;
    const pricing = { input_per_1k_tokens: price, output_per_1k_tokens: price };
    return {
      provider: of,
      name,
      terms: toModelTerms({ ...terms, type: "text", auth_type: "bearer", pricing, ...share }),
    };
  });
  service = await startService(
    (config) => ({ ...config, models, routing: { ...config.routing, exploration: 0.05 } }),
    undefined,
    undefined,
    () => draw,
  );
});

beforeEach(async () => {
  draw = 0.5;
  customer = await openCustomer(service, 10);
});

afterAll(async () => {
  await service.stop();
  await provider.stop();
});

const ask = (more: Record<string, unknown> = {}, options: CallOptions = {}) =>
  service.call("POST", "/v1/generate", { task: "chat", input: "one two", ...more }, { key: customer.key, ...options });
const recordOf = async (answer: Answer) => {
  const path = `/v1/requests/${answer.headers.get("x-request-id")}`;
  return (await service.call("GET", path, undefined, { key: customer.key })).json;
};
const idOf = async (fullName: string) => {
  const { json } = await service.call("GET", `/v1/admin/models?q=${fullName}`);
  return json.data[0].id as string;
};

/** As they are ranked by what was measured so far. */
const rankedFor = async (body: Record<string, unknown>): Promise<string[]> => {
  const asked = { task: "chat", input: "one two", ...body };
  const { json } = await service.call("POST", "/v1/routing/preview", asked, { key: customer.key });
  return json.candidates.map(({ model }: { model: string }) => model);
};

describe("equal providers of a named model", () => {
  it("take turns, by what chance says, and the record tells how likely it was", async () => {
    for (const [said, place] of [
      [0.2, 0],
      [0.7, 1],
      [0.49, 0],
      [0.51, 1],
    ] as const) {
      draw = said;
      const ranked = await rankedFor({ model: "twin" });
      const answer = await ask({ model: "twin" });
      expect(answer.json.model, answer.text).toBe(ranked[place]);
      expect((await recordOf(answer)).routing).toMatchObject({ propensity: 0.5, chosen_by: "name" });
    }
  });

  it("can be given new weights by the operator", async () => {
    const id = await idOf("beta/twin");
    const set = await service.call("PATCH", `/v1/admin/models/${id}`, { weight: 9 });
    expect(set.json).toMatchObject({ full_name: "beta/twin", weight: 9, canary_share: 1 });
    for (draw of [0.11, 0.89]) {
      const answer = await ask({ model: "twin" });
      expect(answer.json.model).toBe("beta/twin");
      expect((await recordOf(answer)).routing.propensity).toBe(0.9);
    }
    await service.call("PATCH", `/v1/admin/models/${id}`, { weight: 0 });
    for (draw of [0, 0.99]) expect((await ask({ model: "twin" })).json.model).toBe("alpha/twin");
    await service.call("PATCH", `/v1/admin/models/${id}`, { weight: 1 });
  });

  it("are shown by a preview as they are ranked, with nothing drawn and nothing tried out", async () => {
    const named = await rankedFor({ model: "twin" });
    const open = await rankedFor({});
    for (draw of [0, 0.99]) {
      expect(await rankedFor({ model: "twin" })).toEqual(named);
      expect((await rankedFor({})).filter((model) => model !== "gamma/spare")).toEqual(
        open.filter((model) => model !== "gamma/spare"),
      );
    }
  });
});

describe("a near-equal of the best", () => {
  const firstOf = async (answer: Answer) => (await recordOf(answer)).routing;

  it("is tried now and then, and the record says instead of whom and how likely that was", async () => {
    draw = 0.04;
    const [best] = await rankedFor({});
    const tried = await ask();
    expect(tried.json.model).toBe("alpha/near");
    expect(await firstOf(tried)).toMatchObject({
      propensity: 0.05,
      explored: { propensity: 0.05, instead_of: best },
    });
    draw = 0.06;
    const usual = await ask();
    expect(usual.json.model).toMatch(/^(alpha|beta)\/twin$/);
    const routing = await firstOf(usual);
    expect(routing.propensity).toBe(0.475);
    expect(routing).not.toHaveProperty("explored");
  });

  it.each<[string, Record<string, unknown>, CallOptions]>([
    ["under an idempotency key", {}, { headers: { "idempotency-key": "no-trial" } }],
    ["with a named model", { model: "twin", fallbacks: ["near"] }, {}],
  ])("is never tried %s", async (_, more, options) => {
    draw = 0.04;
    const answer = await ask(more, options);
    expect(answer.json.model).toMatch(/^(alpha|beta)\/twin$/);
    expect(await firstOf(answer)).not.toHaveProperty("explored");
  });
});

describe("a route that is planned", () => {
  const planFor = (inference: Partial<Inference>) =>
    planRoute(
      service.services,
      sampleCaller({ accountId: customer.id, keyId: customer.keyId }),
      sampleInference(inference),
      { requestId: newId(), receivedAt: new Date(), random: () => 0.01, explores: true },
    );

  it("tries something out for a plain request, and nothing for a line of a batch or a cascade", async () => {
    expect((await planFor({})).explored).toBeDefined();
    for (const inference of [{ batch: { id: "batch", line: 1 } }, { cascade: { minLength: 1 } }]) {
      expect((await planFor(inference)).explored).toBeUndefined();
    }
  });
});

describe("what the file says of a model's share", () => {
  it("is shown to the operator and to its provider", async () => {
    const { json } = await service.call("GET", "/v1/admin/models?q=gamma/spare");
    expect(json.data).toMatchObject([{ weight: 0, canary_share: 0.5 }]);
    const own = await service.call("GET", "/v1/provider/models/spare");
    expect(own.json).toMatchObject({ weight: 0, canary_share: 0.5 });
  });
});
