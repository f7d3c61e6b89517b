import { DEFAULT_ALERT_THRESHOLDS } from "@trunkline/core/alerts.ts";
import { balancePool } from "@trunkline/core/funds-pool.ts";
import { newId } from "@trunkline/core/id.ts";
import { createLogger } from "@trunkline/core/log.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PLAIN_MODEL, useConfigFiles } from "../../test/support/config-file.ts";
import { createTestDatabase, type TestDatabase } from "../../test/support/test-database.ts";
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
});
