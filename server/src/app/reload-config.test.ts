import { Secret } from "@trunkline/core/secret.ts";
import { startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OPERATOR_KEY, type StartedService, startService } from "../../test/support/started-service.ts";
import { toModelTerms } from "../http/requests/model-schema.ts";
import { type Config, readConfig } from "./config/config.ts";
import { applyConfig, compareConfigs } from "./reload-config.ts";

let service: StartedService;
let provider: Awaited<ReturnType<typeof startProvider>>;

beforeAll(async () => {
  provider = await startProvider();
  service = await startService();
});
afterAll(async () => {
  await service.stop();
  await provider.stop();
});

/** The running configuration with a change, as it would be read out of the file. */
function changed(change: Partial<Config>): Config {
  const { config } = service.services;
  return { ...config, limits: { ...config.limits }, routing: { ...config.routing }, ...change };
}

const declared = (name: string, owner = "operator", key?: string) => ({
  provider: owner,
  name,
  terms: toModelTerms({
    type: "text",
    endpoint: provider.endpoint,
    pricing: { input_per_1k_tokens: 0.001, output_per_1k_tokens: 0.002 },
    ...(key === undefined ? {} : { credential: key }),
  }),
});

describe("a configuration that is read again", () => {
  it("brings models, and takes those away that it no longer has", async () => {
    const first = await applyConfig(service.services, changed({ models: [declared("added")] }));
    expect(first).toEqual({ isDone: true, message: "The configuration was read again. Changed: models." });
    const ask = () => service.call("POST", "/v1/ai/request", { task: "chat", input: "Hello", model: "added" });
    expect((await ask()).status).toBe(200);
    await applyConfig(service.services, changed({ models: [] }));
    expect((await ask()).status).toBe(404);
  });

  it("changes limits at once, for keys that exist too", async () => {
    const { config } = service.services;
    const { json: made } = await service.call("POST", "/v1/keys", { name: "k", scopes: ["read"] });
    const rate = async () =>
      (await service.call("GET", "/v1/balance", undefined, { key: made.key })).headers.get("ratelimit-policy");
    const before = await rate();
    const limits = { ...config.limits, requestsPerMinute: 1_234, accountRequestsPerMinute: 4_321, bodyBytes: 2_048 };
    const outcome = await applyConfig(service.services, changed({ limits }));
    expect(outcome.message).toContain("Changed: limits.");
    expect(await rate()).not.toBe(before);
    const long = { task: "chat", input: "x".repeat(3_000) };
    expect((await service.call("POST", "/v1/ai/request", long)).status).toBe(413);
  });

  it("changes the strategy, the log's level and the safety rules below what the operator has set", async () => {
    const { services } = service;
    await applyConfig(services, changed({ strategy: "hybrid", logLevel: "error" }));
    expect((await service.call("GET", "/v1/routing")).json).toEqual({ strategy: "hybrid" });
    expect(services.log.level).toBe("error");
    await services.settings.change({ strategy: "speed-optimized" });
    await applyConfig(services, changed({ strategy: "cost-optimized", logLevel: "debug" }));
    expect((await service.call("GET", "/v1/routing")).json).toEqual({ strategy: "speed-optimized" });
  });

  it("is shown to the operator with the source of each setting, and no secret", async () => {
    const read = async () =>
      new Map<string, { source: string }>(
        (await service.call("GET", "/v1/admin/configuration")).json.data.map((setting: { name: string }) => [
          setting.name,
          setting,
        ]),
      );
    const settings = await read();
    expect(settings.get("strategy")).toMatchObject({ value: "speed-optimized", source: "dashboard", is_secret: false });
    expect(settings.get("sign_up")).toMatchObject({ value: "open", source: "default" });
    expect(settings.get("TRUNKLINE_BOOTSTRAP_KEY")).toMatchObject({
      value: null,
      is_secret: true,
      source: "environment",
    });
    expect(JSON.stringify([...settings])).not.toContain(OPERATOR_KEY);
    const { json: made } = await service.call("POST", "/v1/keys", { name: "k", scopes: ["manage", "read"] });
    const refused = await service.call("GET", "/v1/admin/configuration", undefined, { key: made.key });
    expect(refused.status).toBe(403);
  });

  it("names what needs a restart, and leaves it", async () => {
    const { config } = service.services;
    const limits = { ...config.limits, headerWaitMs: 1_000 };
    const outcome = await applyConfig(service.services, changed({ trustProxy: 1, workers: 3, limits }));
    expect(outcome.message).toBe(
      "The configuration was read again, and nothing that can be changed now has changed. A restart is needed for: limits.header_wait_ms, trust_proxy, workers.",
    );
    expect(config).toMatchObject({ trustProxy: false, workers: 1 });
    expect(config.limits.headerWaitMs).not.toBe(1_000);
  });

  it("is refused where its models can't be declared, and nothing of it holds", async () => {
    await service.call("POST", "/v1/admin/accounts", { name: "Acme", provider: "acme" });
    const limits = { ...service.services.config.limits, burst: 77 };
    await expect(applyConfig(service.services, changed({ models: [declared("x", "acme")], limits }))).rejects.toThrow(
      /belongs to the account "Acme"/,
    );
    expect(service.services.config.limits.burst).not.toBe(77);
  });
});

describe("comparing configurations", () => {
  it("sees a changed secret, although secrets look alike", () => {
    const config = readConfig({ TRUNKLINE_WORKERS: "1" });
    const models = [declared("m", "operator", "sk-1")];
    expect(
      compareConfigs({ ...config, models }, { ...config, models: [declared("m", "operator", "sk-1")] }).live,
    ).toEqual([]);
    expect(
      compareConfigs({ ...config, models }, { ...config, models: [declared("m", "operator", "sk-2")] }).live,
    ).toEqual(["models"]);
    expect(String(new Secret("x"))).toBe(String(new Secret("y")));
  });
});
