import { newId } from "@trunkline/core/id.ts";
import { DEFAULT_CALL_LIMITS, type PricedModel } from "@trunkline/core/model.ts";
import { Sealer, Secret } from "@trunkline/core/secret.ts";
import type { RegisteredModel } from "@trunkline/providers/catalogue/model-catalogue.ts";
import { sampleModel } from "@trunkline/testing/samples.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { PostgresModels } from "./models.ts";

const CREDENTIAL = "sk-a-provider's-credential";
let store: FreshStore;
let models: PostgresModels;

beforeAll(async () => {
  store = await openFreshStore();
  models = new PostgresModels(store.database, new Sealer(new Secret("the service's own secret")));
});
afterAll(() => store.close());

type Kept = RegisteredModel & PricedModel;

async function newModel(change: Partial<Kept> = {}): Promise<Kept> {
  const accountId = change.accountId ?? (await store.makeAccount());
  const sample = sampleModel(`${accountId}/model`);
  return {
    ...sample,
    id: newId(),
    thirdParty: true,
    declared: false,
    createdAt: new Date("2026-01-02T03:04:05.678Z"),
    ...change,
    accountId,
  };
}

const find = async (id: string) => (await models.all()).find((model) => model.id === id);
const versionsOf = (id: string) =>
  store.database.query("SELECT * FROM price_versions WHERE model_id = $1 ORDER BY id", [id]);

describe("a model", () => {
  it("is read as the same object until something of it changes", async () => {
    const model = await newModel({ credential: new Secret(CREDENTIAL) });
    const other = await newModel();
    for (const each of [model, other]) await models.insert(each);
    const [first, unchanged] = [await find(model.id), await find(other.id)];
    expect(await find(model.id)).toBe(first);
    await models.update({ ...model, credential: new Secret("sk-another-credential") });
    const second = await find(model.id);
    expect(second?.credential?.reveal()).toBe("sk-another-credential");
    await models.update({ ...model, price: { ...model.price, perRequest: 77n } });
    expect((await find(model.id))?.price?.perRequest).toBe(77n);
    await models.setTrafficShare(model.id, { weight: 3, canaryShare: undefined });
    expect((await find(model.id))?.weight).toBe(3);
    expect(await find(other.id)).toBe(unchanged);
  });

  it("is read as it was inserted, with its credential", async () => {
    const model = await newModel({
      type: "multimodal",
      description: "It's “quoted”, 😀",
      endpoint: "https://example.test/generate?x=1",
      authType: "x-api-key",
      credential: new Secret(CREDENTIAL),
      mayDialPrivate: true,
      price: {
        version: "new",
        inputPerMillion: 10n ** 15n,
        outputPerMillion: 1n,
        cachedInputPerMillion: 4n,
        cacheWritePerMillion: 6n,
        perImage: 2n,
        perRequest: 3n,
        perSecond: 5n,
      },
      capabilities: ["chat", "with, comma", '"quoted"', "{}"],
      specialties: [],
      avgLatencyMs: 12.5,
      accuracyScore: 0.875,
      costEfficiency: "high",
      contextWindow: 128_000,
      maxOutputTokens: 4_096,
      backups: ["acme/other"],
      limits: { ...DEFAULT_CALL_LIMITS, connectMs: 1_234 },
      state: "probation",
      declared: true,
    });
    expect(await models.insert(model)).toBe(true);
    const found = await find(model.id);
    expect(found).toEqual({ ...model, price: { ...model.price, version: expect.stringMatching(/^\d+$/) } });
    expect(found?.credential?.reveal()).toBe(CREDENTIAL);
  });

  it("is read without the fields that it was inserted without", async () => {
    const model = await newModel({ avgLatencyMs: undefined, accuracyScore: undefined });
    await models.insert(model);
    expect(await find(model.id)).toEqual({
      ...model,
      price: { ...model.price, version: expect.any(String) },
    });
  });

  it("keeps its share of the traffic through every other change", async () => {
    const model = await newModel({ weight: 3, canaryShare: 0.25 });
    await models.insert(model);
    await models.update({ ...model, description: "Another one.", weight: undefined, canaryShare: undefined });
    expect(await find(model.id)).toMatchObject({ description: "Another one.", weight: 3, canaryShare: 0.25 });
    await models.setTrafficShare(model.id, { weight: 0 });
    const found = await find(model.id);
    expect([found?.weight, found?.canaryShare]).toEqual([0, undefined]);
  });

  it("is refused a second time under the same name of the same provider, and only then", async () => {
    const first = await newModel();
    expect(await models.insert(first)).toBe(true);
    const second = await newModel({ accountId: first.accountId, provider: first.provider });
    expect(await models.insert(second)).toBe(false);
    expect(await versionsOf(second.id)).toEqual([]);
    expect(await models.insert({ ...second, name: "another" })).toBe(true);
    expect(await models.insert(await newModel())).toBe(true);
  });

  it("is inserted once although two ask at the same moment", async () => {
    const first = await newModel();
    const second = { ...first, id: newId() };
    const results = await Promise.all([models.insert(first), models.insert(second)]);
    expect(results.filter((inserted) => inserted)).toHaveLength(1);
  });

  it("that was removed is gone, its prices stay on record, and its name is free again", async () => {
    const model = await newModel();
    await models.insert(model);
    await models.remove(model.id);
    expect(await find(model.id)).toBeUndefined();
    expect(await versionsOf(model.id)).toHaveLength(1);
    const successor = { ...model, id: newId() };
    expect(await models.insert(successor)).toBe(true);
    expect(await find(successor.id)).toBeDefined();
  });
});

describe("a change of a model", () => {
  it("writes everything, and makes a new price version only where the price differs", async () => {
    const model = await newModel({ credential: new Secret(CREDENTIAL) });
    await models.insert(model);
    const before = await find(model.id);
    await models.update({ ...model, description: "changed", state: "suspended", credential: undefined });
    const after = await find(model.id);
    expect(after).toMatchObject({ description: "changed", state: "suspended", credential: undefined });
    expect(after?.price).toEqual(before?.price);
    expect(await versionsOf(model.id)).toHaveLength(1);
  });

  it.each([
    "inputPerMillion",
    "cachedInputPerMillion",
    "cacheWritePerMillion",
    "outputPerMillion",
    "perImage",
    "perRequest",
    "perSecond",
  ] as const)("of its price by %s is a new version; the old one stays", async (field) => {
    const model = await newModel();
    await models.insert(model);
    const before = await find(model.id);
    await models.update({ ...model, price: { ...model.price, [field]: 77n } });
    const after = await find(model.id);
    expect(after?.price).toMatchObject({ [field]: 77n });
    expect(Number(after?.price?.version)).toBeGreaterThan(Number(before?.price?.version));
    expect(await versionsOf(model.id)).toHaveLength(2);
    await models.update({ ...model, price: { ...model.price, [field]: 77n } });
    expect(await versionsOf(model.id)).toHaveLength(2);
  });

  it.each(["cachedInputPerMillion", "cacheWritePerMillion"] as const)(
    "that takes the cache's own price %s away is a new version",
    async (field) => {
      const model = await newModel();
      await models.insert({ ...model, price: { ...model.price, [field]: 0n } });
      await models.update({ ...model, price: { ...model.price, [field]: undefined } });
      expect((await find(model.id))?.price).toMatchObject({ [field]: undefined });
      expect(await versionsOf(model.id)).toHaveLength(2);
    },
  );

  it("back to an earlier price is a new version too", async () => {
    const model = await newModel();
    await models.insert(model);
    await models.update({ ...model, price: { ...model.price, perRequest: 5n } });
    await models.update(model);
    expect((await find(model.id))?.price?.perRequest).toBe(0n);
    expect(await versionsOf(model.id)).toHaveLength(3);
  });

  it("to a negative price is refused whole", async () => {
    const model = await newModel();
    await models.insert(model);
    await expect(
      models.update({ ...model, description: "x", price: { ...model.price, perImage: -1n } }),
    ).rejects.toThrow();
    expect(await find(model.id)).toMatchObject({ description: "" });
  });
});

/** Changes what is forbidden: the guards are off meanwhile. */
const tamper = (statement: string, values: readonly unknown[]) =>
  store.database.transaction(async (connection) => {
    await connection.query("SET LOCAL session_replication_role = replica");
    await connection.query(statement, values);
  });

describe("a price that can't be read", () => {
  it("is no price, and not an older one: the model is there without it", async () => {
    const model = await newModel();
    await models.insert(model);
    await models.update({ ...model, price: { ...model.price, perRequest: 5n } });
    await tamper("DELETE FROM price_versions WHERE model_id = $1", [model.id]);
    expect(await find(model.id)).toEqual({ ...model, price: undefined });
  });

  it.each(["input_per_million", "output_per_million", "per_image", "per_request", "per_second"])(
    "is one without its %s, although an older one has it",
    async (column) => {
      const model = await newModel();
      await models.insert(model);
      await models.update({ ...model, price: { ...model.price, perImage: 5n } });
      await store.database.query(`ALTER TABLE price_versions ALTER ${column} DROP NOT NULL`);
      await tamper(
        `UPDATE price_versions SET ${column} = NULL WHERE id = (SELECT max(id) FROM price_versions WHERE model_id = $1)`,
        [model.id],
      );
      expect((await find(model.id))?.price).toBeUndefined();
      const [newest, oldest] = await models.pricesOf(model.id, 10, undefined);
      expect(newest?.price).toBeUndefined();
      expect(oldest?.price).toMatchObject({ perImage: 0n });
    },
  );

  it("stays unknown through other changes, until a price is set", async () => {
    const model = await newModel();
    await models.insert(model);
    await tamper("DELETE FROM price_versions WHERE model_id = $1", [model.id]);
    await models.update({ ...model, price: undefined, description: "changed" });
    expect(await find(model.id)).toMatchObject({ description: "changed", price: undefined });
    expect(await versionsOf(model.id)).toHaveLength(0);
    await models.update(model);
    expect((await find(model.id))?.price).toMatchObject({ perRequest: 0n });
  });
});

describe("a model's prices", () => {
  it("are listed from the newest to the oldest, page by page, and are its own", async () => {
    const [model, other] = [await newModel(), await newModel()];
    await models.insert(model);
    await models.insert(other);
    for (const perSecond of [1n, 2n, 3n]) await models.update({ ...model, price: { ...model.price, perSecond } });
    const first = await models.pricesOf(model.id, 3, undefined);
    expect(first.map(({ price }) => price?.perSecond)).toEqual([3n, 2n, 1n]);
    expect(first[0]).toEqual({
      id: (await find(model.id))?.price?.version,
      since: expect.any(Date),
      price: (await find(model.id))?.price,
    });
    const rest = await models.pricesOf(model.id, 3, first.at(-1)?.id);
    expect(rest.map(({ price }) => price?.perSecond)).toEqual([0n]);
    expect(await models.pricesOf(model.id, 3, rest[0]?.id)).toEqual([]);
  });
});

describe("a credential", () => {
  it("is nowhere in the store in a form that can be read", async () => {
    const model = await newModel({ credential: new Secret(CREDENTIAL) });
    await models.insert(model);
    const rows = await store.database.query<{ row: string; box: Buffer }>(
      "SELECT to_jsonb(m)::text AS row, sealed_credential AS box FROM models m WHERE id = $1",
      [model.id],
    );
    expect(rows[0]?.row).not.toContain(CREDENTIAL);
    expect(rows[0]?.box.includes(CREDENTIAL)).toBe(false);
  });

  it("moved to another model's row does not open", async () => {
    const other = await openFreshStore();
    try {
      const moved = new PostgresModels(other.database, new Sealer(new Secret("the service's own secret")));
      const [accountId, id] = [await other.makeAccount(), newId()];
      const model = { ...(await newModel({ credential: new Secret(CREDENTIAL) })), accountId, id };
      await moved.insert(model);
      await moved.insert({ ...model, id: newId(), name: "thief", credential: undefined });
      await other.database.query(
        "UPDATE models SET sealed_credential = (SELECT sealed_credential FROM models WHERE id = $1) WHERE id <> $1",
        [id],
      );
      await expect(moved.all()).rejects.toThrow();
    } finally {
      await other.close();
    }
  });
});
