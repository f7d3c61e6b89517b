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
const passedMs = 0;

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
