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
  await service.call("POST", "/v1/provider/models", registrationOf(provider, "plain"));
});

afterAll(async () => {
  await service.stop();
  await provider.stop();
});

const read = (page: "models" | "status") => service.call("GET", `/v1/public/${page}`, undefined, { key: null });
const allow = (settings: Record<string, boolean>) => service.call("PATCH", "/v1/admin/settings", settings);
const ask = () => service.call("POST", "/v1/generate", { model: "plain", input: "Hello" });

describe("public pages", () => {
  it("are closed until the operator opens them, each by itself", async () => {
    for (const page of ["models", "status"] as const) expectRefusal(await read(page), 404, "not_found");
    await allow({ public_models: true });
    expect((await read("models")).status).toBe(200);
    expectRefusal(await read("status"), 404, "not_found");
    const features = await service.call("GET", "/v1/auth/features", undefined, { key: null });
    expect(features.json).toMatchObject({ public_models: true, public_status: false });
    await allow({ public_models: false, public_status: true });
    expectRefusal(await read("models"), 404, "not_found");
    expect((await read("status")).status).toBe(200);
  });

  it("show models and prices, and nothing of who uses them how much", async () => {
    await allow({ public_models: true });
    const { json, text } = await read("models");
    const plain = json.data.find(({ name }: { name: string }) => name === "plain");
    expect(plain).toMatchObject({ full_name: "operator/plain", type: "text", available: true });
    expect(plain.pricing.input_per_1k_tokens).toBeGreaterThan(0);
    expect(plain.availability).toHaveLength(24);
    expect(text).not.toMatch(/"(calls|failures|own_key|endpoint|credential)"/);
  });

  it("have one truth with the operator's health page and with members' status", async () => {
    await allow({ public_status: true });
    expect((await read("status")).json).toMatchObject({ state: "operational", api: "up", store: "up" });
    provider.script = (response) => {
      response.statusCode = 500;
      response.end("{}");
    };
    for (let time = 0; time < 12; time++) await ask();
    const { json: health } = await service.call("GET", "/v1/admin/health");
    const { json: status } = await read("status");
    const { json: own } = await service.call("GET", "/v1/status", undefined, {
      key: (await openCustomer(service, 0)).key,
    });
    const troubled = status.models.filter(({ state }: { state: string }) => state !== "up");
    expect(troubled.map(({ model }: { model: string }) => model)).toEqual(["operator/plain"]);
    expect(health.troubled.map(({ model }: { model: string }) => model)).toEqual(["operator/plain"]);
    expect(own.models).toEqual(status.models);
    expect(status.state).toBe("degraded");
  });

  it("are read at most 60 times a minute from an address", async () => {
    await allow({ public_models: true });
    const answers = [];
    for (let time = 0; time < 70; time++) answers.push(await read("models"));
    expectRefusal(answers.at(-1) ?? (await read("models")), 429, "rate_limited");
  });
});
