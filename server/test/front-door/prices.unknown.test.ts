import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { newGate } from "@trunkline/testing/gate.ts";
import {
  answerPlainly,
  registrationOf,
  type ScriptedProvider,
  startProvider,
} from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { prepareOperator } from "../../src/app/first-start.ts";
import { registerModelSchema, toModelTerms } from "../../src/http/requests/model-schema.ts";
import { type Database, openDatabase } from "../../src/store/database/database.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let provider: ScriptedProvider;
let database: Database;

beforeAll(async () => {
  provider = await startProvider();
  const declared = registerModelSchema.parse(registrationOf(provider, "declared"));
  const models = [{ provider: "file", name: "declared", terms: toModelTerms(declared) }];
  service = await startService(
    (config) => ({ ...config, models }),
    async (address) => {
      database = openDatabase(address, () => undefined);
      return address;
    },
  );
});

beforeEach(() => {
  provider.script = answerPlainly;
  provider.calls.length = 0;
});

afterAll(async () => {
  await database.close();
  await service.stop();
  await provider.stop();
});

/** Takes a model's price away behind the service's back, which the database itself refuses. */
async function losePrice(name: string): Promise<void> {
  await database.transaction(async (connection) => {
    await connection.query("SET LOCAL session_replication_role = replica");
    await connection.query("DELETE FROM price_versions WHERE model_id IN (SELECT id FROM models WHERE name = $1)", [
      name,
    ]);
  });
  await service.services.providers.catalogue.reload();
}

const register = async (name: string, more: Record<string, unknown> = {}) => {
  const made = await service.call("POST", "/v1/provider/models", registrationOf(provider, name, more));
  expect(made.status, made.text).toBe(201);
};
const ask = (more: Record<string, unknown>) =>
  service.call("POST", "/v1/ai/request", { task: "chat", input: "Hello", ...more });
const preview = (more: Record<string, unknown>) =>
  service.call("POST", "/v1/routing/preview", { task: "chat", input: "Hello", ...more });
const names = async () =>
  ((await service.call("GET", "/v1/models")).json as { name: string }[]).map(({ name }) => name);

describe("a model whose price is gone", () => {
  it("is never called, however it is asked for, and the preview says why", async () => {
    await register("lost", { backups: ["declared"] });
    await losePrice("lost");
    const leftOut = expect.arrayContaining([
      { model: "operator/lost", reason: expect.stringContaining("price is not known") },
    ]);
    for (const asked of [{}, { model: "lost" }, { model: "declared", fallbacks: ["lost"] }]) {
      const seen = await preview(asked);
      expect(seen.json.left_out).toEqual(leftOut);
      expect(seen.json.candidates.map(({ model }: { model: string }) => model)).toEqual(["file/declared"]);
    }
    expect((await ask({ model: "lost" })).json.model_used).toBe("declared");
    await service.call("PATCH", "/v1/provider/models/lost", { backups: [] });
    expectRefusal(await ask({ model: "lost" }), 503, "no_model_available", {
      message: /operator\/lost: its price is not known/,
    });
    expect(provider.calls).toHaveLength(1);
  });

  it("is not listed, and its owner sees that there is none", async () => {
    await register("unlisted");
    expect(await names()).toContain("unlisted");
    await losePrice("unlisted");
    expect(await names()).not.toContain("unlisted");
    expectRefusal(await service.call("GET", "/v1/models/unlisted"), 404, "model_not_found", {
      param: "name",
    });
    const seen = await service.call("GET", "/v1/provider/models/unlisted");
    expect(seen.json).toMatchObject({ state: "active", pricing: null, price_version: null });
    const prices = await service.call("GET", "/v1/provider/models/unlisted/prices");
    expect(prices.json).toEqual({ data: [], next_cursor: null });
  });

  it("is taken up again once all of its price is said, and not before", async () => {
    await register("mended");
    await losePrice("mended");
    const mend = (change: unknown) => service.call("PATCH", "/v1/provider/models/mended", change);
    expect((await mend({ description: "Still without." })).json).toMatchObject({ pricing: null });
    expectRefusal(await mend({ pricing: { per_request: 1 } }), 400, "invalid_request", { param: "pricing" });
    expectRefusal(await ask({ model: "mended" }), 503, "no_model_available");
    const pricing = { input_per_1k_tokens: 0, output_per_1k_tokens: 0, per_request: 1 };
    expect((await mend({ pricing })).json).toMatchObject({ pricing });
    expect((await ask({ model: "mended" })).json.cost).toBe(1);
  });

  it("that the file declares has it again from the next start on", async () => {
    await losePrice("declared");
    expectRefusal(await ask({ model: "declared" }), 503, "no_model_available");
    await prepareOperator(service.services);
    expect((await ask({ model: "declared" })).json.cost).toBe(0.00005);
  });

  it("while a request runs is charged for it as it was quoted", async () => {
    await register("leaving");
    const mayEnd = newGate();
    provider.script = async (response, call) => {
      await mayEnd.opened;
      await answerPlainly(response, call);
    };
    const running = ask({ model: "leaving" });
    await expect.poll(() => provider.calls.length).toBe(1);
    await losePrice("leaving");
    mayEnd.open();
    expect((await running).json.cost).toBe(0.00005);
  });
});
