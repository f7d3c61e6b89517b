import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { balanceOf, type Customer, openCustomer } from "../support/customer.ts";
import { registerAsOtherAccount } from "../support/other-accounts-model.ts";
import { type StartedService, startService } from "../support/started-service.ts";

const DAY_MS = 86_400_000;

let service: StartedService;
let working: ScriptedProvider;
let failing: ScriptedProvider;
let owner: Customer;
let client: Customer;
let passedMs = 0;

beforeAll(async () => {
  const clock = { now: () => Date.now() + passedMs, monotonicMs: () => performance.now() };
  service = await startService(undefined, undefined, clock);
  working = await startProvider((response) => void response.end(JSON.stringify({ output: "Hello." })));
  failing = await startProvider((response) => void response.writeHead(500).end("{}"));
  owner = await openCustomer(service, 0);
});

beforeEach(async () => {
  client = await openCustomer(service, 1_000);
});

afterAll(async () => {
  await service.stop();
  await working.stop();
  await failing.stop();
});

const CHEAP = { input_per_1k_tokens: 0.0001, output_per_1k_tokens: 0.0001 };
const DEAR = { input_per_1k_tokens: 0, output_per_1k_tokens: 0, per_request: 900 };

const register = (provider: ScriptedProvider, name: string, more: Record<string, unknown>) =>
  registerAsOtherAccount(service, owner, registrationOf(provider, name, more), "active");
const full = (name: string) => `${owner.provider}/${name}`;
const ask = (model: string | undefined, more: Record<string, unknown> = {}, key = client.key) =>
  service.call("POST", "/v1/ai/request", { task: "chat", input: "hi", model, ...more }, { key });
const patch = (name: string, body: unknown, key = owner.key) =>
  service.call("PATCH", `/v1/provider/models/${name}`, body, { key });
const offerOf = async (name: string) =>
  (await service.call("GET", `/v1/models/${full(name)}`, undefined, { key: client.key })).json.providers[0];

describe("failover to another account's model", () => {
  it("by its owner's backups costs at most twice what the named model may cost", async () => {
    await register(working, "dear", { pricing: DEAR });
    await register(working, "near", { pricing: { ...CHEAP, output_per_1k_tokens: 0.00015 } });
    await register(failing, "cheap", { pricing: CHEAP, backups: [full("dear")] });
    const refused = await ask(full("cheap"));
    expect(refused.status, refused.text).toBe(502);
    expect((await balanceOf(service, client.key)).balance).toBe(1_000);

    await register(failing, "fair", { pricing: CHEAP, backups: ["near"] });
    expect((await ask(full("fair"))).json).toMatchObject({ model_used: "near" });
  });

  it("is not led to a dear one by suspending the cheap one", async () => {
    await register(working, "off", { pricing: CHEAP, backups: [full("dear")] });
    expect((await patch("off", { state: "suspended" })).status).toBe(200);
    const refused = await ask(full("off"));
    expectRefusal(refused, 503, "no_model_available", { message: /more than 2 times the named model/ });
  });

  it("costs what the client's max_cost allows", async () => {
    await register(failing, "allowed", { pricing: CHEAP, backups: [full("dear")] });
    expect((await ask(full("allowed"), { preferences: { max_cost: 950 } })).json.cost).toBe(900);
  });

  it("is bounded too where the client's fallbacks or the operator's backups name it, and lists of others lead to no dear model of the operator's", async () => {
    const own = registrationOf(failing, "own", { pricing: CHEAP, backups: [full("dear")] });
    expect((await service.call("POST", "/v1/provider/models", own)).status).toBe(201);
    const dearOwn = registrationOf(working, "own-dear", { pricing: DEAR });
    expect((await service.call("POST", "/v1/provider/models", dearOwn)).status).toBe(201);
    expect((await ask("own")).status).toBe(502);
    expect((await ask("own", { fallbacks: [full("dear")] })).status).toBe(502);
    expect((await ask("own", { fallbacks: ["own-dear"] })).json.model_used).toBe("own-dear");
    await register(failing, "leading", { pricing: CHEAP, backups: ["own-dear"] });
    expect((await ask(full("leading"))).status).toBe(502);
  });

  it("is bounded by the first quote where the service chooses", async () => {
    const preview = async (preferences?: object) =>
      (
        await service.call(
          "POST",
          "/v1/routing/preview",
          { task: "chat", input: "hi", route: "cost-optimized", preferences },
          { key: client.key },
        )
      ).json;
    const { candidates, left_out: leftOut } = await preview();
    expect(candidates.map(({ model }: { model: string }) => model)).not.toContain(full("dear"));
    expect(leftOut.find(({ model }: { model: string }) => model === full("dear")).reason).toMatch(/2 times the first/);
    const allowed = await preview({ max_cost: 950 });
    expect(allowed.candidates.map(({ model }: { model: string }) => model)).toContain(full("dear"));
  });
});

describe("a price rise of another account's model", () => {
  it("holds after 7 days, is shown until then, and is announced to those who used the model", async () => {
    await register(working, "rising", { pricing: CHEAP });
    const { cost } = (await ask(full("rising"))).json;
    const hook = {
      url: working.endpoint.replace("http://127.0.0.1", "https://93.184.215.14"),
      events: ["model.price_rise"],
    };
    const made = await service.call("POST", "/v1/webhooks", hook, { key: client.key });
    expect(made.status, made.text).toBe(201);

    const changed = await patch("rising", { pricing: { per_request: 950 } });
    expect(changed.json, changed.text).toMatchObject({ pricing: { per_request: 0 } });
    const { next_pricing: next } = await offerOf("rising");
    expect(next.pricing).toMatchObject({ ...CHEAP, per_request: 950 });
    expect(Date.parse(next.effective_at) - Date.now()).toBeGreaterThan(6 * DAY_MS);
    expect((await ask(full("rising"))).json.cost).toBe(cost);
    const sent = await service.call("GET", `/v1/webhooks/${made.json.id}/deliveries`, undefined, { key: client.key });
    expect(sent.json.data).toMatchObject([{ type: "model.price_rise" }]);

    // Sent again it is the same announcement, at the same time.
    await patch("rising", { pricing: { per_request: 950 } });
    expect((await offerOf("rising")).next_pricing).toEqual(next);

    passedMs += 8 * DAY_MS;
    await service.services.providers.catalogue.reloadIfPriceIsDue(Date.now() + passedMs);
    expect(await offerOf("rising")).toMatchObject({ pricing: { per_request: 950 }, next_pricing: null });
    expect((await ask(full("rising"))).json.cost).toBeGreaterThan(949);
  });

  it.each([
    ["input", { input_per_1k_tokens: 1 }],
    ["output", { output_per_1k_tokens: 1 }],
    ["cached input", { cached_input_per_1k_tokens: 1 }],
    ["cache writes", { cache_write_per_1k_tokens: 1 }],
    ["images", { per_image: 1 }],
    ["requests", { per_request: 1 }],
    ["seconds", { per_second: 1 }],
  ])("waits, whatever it is for: %s", async (_, pricing) => {
    const name = `part-${Object.keys(pricing)[0]}`;
    await register(working, name, { pricing: CHEAP });
    const before = (await offerOf(name)).pricing;
    await patch(name, { pricing });
    expect(await offerOf(name)).toMatchObject({ pricing: before, next_pricing: { pricing } });
  });

  it("does not hold back what becomes cheaper, and is taken back by the present price", async () => {
    await register(working, "mixed", { pricing: { ...CHEAP, per_request: 1 } });
    await patch("mixed", { pricing: { per_request: 0.5, input_per_1k_tokens: 1 } });
    expect(await offerOf("mixed")).toMatchObject({
      pricing: { ...CHEAP, per_request: 0.5 },
      next_pricing: { pricing: { input_per_1k_tokens: 1, per_request: 0.5 } },
    });
    await patch("mixed", { pricing: CHEAP });
    expect(await offerOf("mixed")).toMatchObject({ pricing: { ...CHEAP, per_request: 0.5 }, next_pricing: null });
    await patch("mixed", { pricing: { per_request: 0 } });
    expect((await offerOf("mixed")).pricing.per_request).toBe(0);
  });

  it("is not hastened by registering the model again, nor by a smaller discount", async () => {
    await register(working, "again", { pricing: CHEAP, batch_discount: 0.5 });
    expectRefusal(await patch("again", { batch_discount: 0.1 }), 400, "invalid_request", { param: "batch_discount" });
    const withdrawn = await service.call("DELETE", "/v1/provider/models/again", undefined, { key: owner.key });
    expect(withdrawn.status).toBe(204);
    await register(working, "again", { pricing: DEAR });
    expect(await offerOf("again")).toMatchObject({
      pricing: { per_request: 0 },
      next_pricing: { pricing: { per_request: 900 } },
    });
  });

  it("of the operator's own model holds at once", async () => {
    const own = registrationOf(working, "operators", { pricing: CHEAP });
    expect((await service.call("POST", "/v1/provider/models", own)).status).toBe(201);
    const changed = await service.call("PATCH", "/v1/provider/models/operators", { pricing: { per_request: 2 } });
    expect(changed.json).toMatchObject({ pricing: { per_request: 2 }, next_pricing: null });
  });
});
