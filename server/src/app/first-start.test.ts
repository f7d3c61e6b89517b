import { DEFAULT_ALERT_THRESHOLDS } from "@trunkline/core/alerts.ts";
import { balancePool } from "@trunkline/core/funds-pool.ts";
import { newId } from "@trunkline/core/id.ts";
import { createLogger } from "@trunkline/core/log.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PLAIN_MODEL, useConfigFiles } from "../../test/support/config-file.ts";
import { createTestDatabase, type TestDatabase } from "../../test/support/test-database.ts";
import { openDatabase } from "../store/database/database.ts";
import { readConfig } from "./config/config.ts";
import { createServices } from "./create-services.ts";
import { makeFirstKey, prepareOperator } from "./first-start.ts";
import type { Services } from "./services.ts";

describe("instances that start at once on an empty database", () => {
  let database: TestDatabase;
  const instances: Services[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    const config = readConfig({ TRUNKLINE_BOOTSTRAP_KEY: "chosen-by-the-operator" });
    const options = { config, address: database.address, secret: new Secret("s"), log: createLogger("silent") };
    instances.push(...(await Promise.all([1, 2, 3, 4].map(() => createServices(options)))));
  });
  afterAll(async () => {
    await Promise.all(instances.map((services) => services.lifecycle.close()));
    await database.drop();
  });

  it("make one operator, its credits and its key once", async () => {
    await Promise.all(instances.map((services) => prepareOperator(services)));
    const [services] = instances;
    const operator = await services?.identity.accounts.findOperator();
    expect((await services?.ledger.store.readPool(balancePool(operator?.id ?? "")))?.total).toBe(1_000_000_000_000n);
    expect(
      await services?.identity.apiKeyStore.list(
        operator?.id ?? "",
        { state: undefined, search: undefined, now: new Date() },
        10,
        undefined,
      ),
    ).toHaveLength(1);
  });

  it("show a first key only if the operator has none", async () => {
    expect(await Promise.all(instances.map((services) => makeFirstKey(services)))).toEqual(
      instances.map(() => undefined),
    );
  });
});

describe("the provider of declared models", () => {
  const { read } = useConfigFiles();
  let database: TestDatabase;
  let services: Services;

  beforeAll(async () => {
    database = await createTestDatabase();
    const options = { address: database.address, secret: new Secret("s"), log: createLogger("silent") };
    services = await createServices({ config: readConfig({}), ...options });
    await prepareOperator(services);
  });
  afterAll(async () => {
    await services.lifecycle.close();
    await database.drop();
  });

  const declaring = (provider: string) => ({
    ...services,
    config: read([...PLAIN_MODEL, `    provider: ${provider}`]),
  });
  const open = (provider: string) =>
    services.identity.accounts.create({
      id: newId(),
      name: "Acme Ltd",
      provider,
      operator: false,
      strategy: undefined,
      keepsContent: false,
      thirdPartyModels: false,
      timeZone: "UTC",
      alerts: DEFAULT_ALERT_THRESHOLDS,
      createdAt: new Date(),
    });

  it("is refused if it belongs to an account, and no model is declared", async () => {
    await open("acme");
    await expect(prepareOperator(declaring("acme"))).rejects.toThrow(
      /provider "acme".*belongs to the account "Acme Ltd"/,
    );
    expect(services.providers.catalogue.all().filter(({ provider }) => provider === "acme")).toEqual([]);
    await prepareOperator(declaring("operator"));
  });

  it("stays taken after their withdrawal, as their usage stays counted under it", async () => {
    await prepareOperator(declaring("once-ours"));
    expect(await open("once-ours")).toBeUndefined();
    await prepareOperator(services);
    expect(services.providers.catalogue.all().filter(({ provider }) => provider === "once-ours")).toEqual([]);
    expect(await open("once-ours")).toBeUndefined();
    expect(await open("never-ours")).toBeDefined();
  });

  it("keeps the traffic share that the operator set where the file names none", async () => {
    const shareOf = () => {
      const [model] = services.providers.catalogue.registered().filter(({ name }) => name === "small");
      return [model?.weight, model?.canaryShare];
    };
    const plain = declaring("operator");
    await prepareOperator(plain);
    const [model] = services.providers.catalogue.registered().filter(({ name }) => name === "small");
    await services.providers.models.setTrafficShare(model?.id ?? "", { weight: 5, canaryShare: 0.5 });
    await prepareOperator(plain);
    expect(shareOf()).toEqual([5, 0.5]);
    await prepareOperator({
      ...services,
      config: read([...PLAIN_MODEL, "    provider: operator", "    weight: 2"]),
    });
    expect(shareOf()).toEqual([2, 0.5]);
  });

  it("is written only where something of them has changed, and then all of it", async () => {
    const priced = (price: number) => [
      ...PLAIN_MODEL.slice(0, -1),
      `    pricing: { input_per_1k_tokens: ${price}, output_per_1k_tokens: 0.002 }`,
    ];
    const written = async (lines: readonly string[]) => {
      await prepareOperator({ ...services, config: read([...lines, "    provider: operator"]) });
      const [row] = await store.query(
        `SELECT m.xmin::text AS written, m.description, m.context_window, m.sealed_credential IS NOT NULL AS has_credential,
           (SELECT input_per_million FROM price_versions p WHERE p.model_id = m.id ORDER BY p.id DESC LIMIT 1) AS price
         FROM models m WHERE provider = 'operator' AND name = 'small' AND deleted_at IS NULL`,
      );
      return row;
    };
    const store = openDatabase(database.address, () => undefined);
    try {
      const plain = await written(PLAIN_MODEL);
      expect(await written(PLAIN_MODEL)).toEqual(plain);
      const rich = [
        ...PLAIN_MODEL,
        "    description: new",
        "    context_window: 9000",
        "    credential: one-credential",
      ];
      const changed = await written(rich);
      expect(changed).toMatchObject({ description: "new", context_window: 9000, has_credential: true });
      expect(await written(rich)).toEqual(changed);
      const rekeyed = await written([...rich.slice(0, -1), "    credential: other-credential"]);
      expect(rekeyed?.written).not.toBe(changed?.written);
      // What the file no longer names is gone.
      expect(await written(PLAIN_MODEL)).toEqual({ ...plain, written: expect.any(String) });
      expect(await written(priced(0.003))).toMatchObject({ price: 3_000_000_000n });
    } finally {
      await store.close();
    }
  });
});
