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
  const serviceses: Services[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    const config = readConfig({ TRUNKLINE_BOOTSTRAP_KEY: "chosen-by-the-operator" });
    const site = { config, address: database.address, secret: new Secret("s"), log: createLogger("silent") };
    serviceses.push(...(await Promise.all([1, 2, 3, 4].map(() => createServices(site)))));
  });
  afterAll(async () => {
    await Promise.all(serviceses.map((services) => services.close()));
    await database.drop();
  });

  it("make one operator, with its credits once and its key once", async () => {
    await Promise.all(serviceses.map((services) => prepareOperator(services)));
    const [services] = serviceses;
    const operator = await services?.accounts.findOperator();
    expect((await services?.ledger.readPool(balancePool(operator?.id ?? "")))?.total).toBe(1_000_000_000_000n);
    expect(
      await services?.apiKeys.list(
        operator?.id ?? "",
        { state: undefined, search: undefined, now: new Date() },
        10,
        undefined,
      ),
    ).toHaveLength(1);
  });

  it("show a first key only where there is none", async () => {
    expect(await Promise.all(serviceses.map((services) => makeFirstKey(services)))).toEqual(
      serviceses.map(() => undefined),
    );
  });
});

describe("the provider name of declared models", () => {
  const { read } = useConfigFiles();
  let database: TestDatabase;
  let services: Services;

  beforeAll(async () => {
    database = await createTestDatabase();
    const site = { address: database.address, secret: new Secret("s"), log: createLogger("silent") };
    services = await createServices({ config: readConfig({}), ...site });
    await prepareOperator(services);
  });
  afterAll(async () => {
    await services.close();
    await database.drop();
  });

  const declaring = (provider: string) => ({
    ...services,
    config: read([...PLAIN_MODEL, `    provider: ${provider}`]),
  });
  const open = (provider: string) =>
    services.accounts.create({
      id: newId(),
      name: "Acme Ltd",
      provider,
      operator: false,
      strategy: undefined,
      keepsContent: false,
      timeZone: "UTC",
      alerts: DEFAULT_ALERT_THRESHOLDS,
      createdAt: new Date(),
    });

  it("is refused where it belongs to an account, and nothing is declared", async () => {
    await open("acme");
    await expect(prepareOperator(declaring("acme"))).rejects.toThrow(
      /provider "acme".*belongs to the account "Acme Ltd"/,
    );
    expect(services.catalogue.all().filter(({ provider }) => provider === "acme")).toEqual([]);
    await prepareOperator(declaring("operator"));
  });

  it("stays taken when they are withdrawn, as what was counted of them stays", async () => {
    await prepareOperator(declaring("once-ours"));
    expect(await open("once-ours")).toBeUndefined();
    await prepareOperator(services);
    expect(services.catalogue.all().filter(({ provider }) => provider === "once-ours")).toEqual([]);
    expect(await open("once-ours")).toBeUndefined();
    expect(await open("never-ours")).toBeDefined();
  });

  it("keeps the operator's word on a model's share where the file says nothing of it", async () => {
    const shareOf = () => {
      const [model] = services.catalogue.registered().filter(({ name }) => name === "small");
      return [model?.weight, model?.canaryShare];
    };
    const plain = declaring("operator");
    await prepareOperator(plain);
    const [model] = services.catalogue.registered().filter(({ name }) => name === "small");
    await services.models.setTrafficShare(model?.id ?? "", { weight: 5, canaryShare: 0.5 });
    await prepareOperator(plain);
    expect(shareOf()).toEqual([5, 0.5]);
    await prepareOperator({
      ...services,
      config: read([...PLAIN_MODEL, "    provider: operator", "    weight: 2"]),
    });
    expect(shareOf()).toEqual([2, 0.5]);
  });
});
