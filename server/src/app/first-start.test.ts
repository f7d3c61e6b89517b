import { DEFAULT_ALERT_MARKS } from "@trunkline/core/alerts.ts";
import { balanceLot } from "@trunkline/core/funds-pool.ts";
import { newId } from "@trunkline/core/id.ts";
import { openLog } from "@trunkline/core/log.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PLAIN_MODEL, useConfigFiles } from "../../test/support/config-file.ts";
import { createTestDatabase, type TestDatabase } from "../../test/support/test-database.ts";
import { buildHouse } from "./build-house.ts";
import { readConfig } from "./config/config.ts";
import { makeFirstKey, prepareOperator } from "./first-start.ts";
import type { House } from "./services.ts";

describe("instances that start at once on an empty database", () => {
  let database: TestDatabase;
  const houses: House[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    const config = readConfig({ TRUNKLINE_BOOTSTRAP_KEY: "chosen-by-the-operator" });
    const site = { config, address: database.address, secret: new Secret("s"), log: openLog("silent") };
    houses.push(...(await Promise.all([1, 2, 3, 4].map(() => buildHouse(site)))));
  });
  afterAll(async () => {
    await Promise.all(houses.map((house) => house.close()));
    await database.drop();
  });

  it("make one operator, with its credits once and its key once", async () => {
    await Promise.all(houses.map((house) => prepareOperator(house)));
    const [house] = houses;
    const operator = await house?.accounts.findOperator();
    expect((await house?.ledger.look(balanceLot(operator?.id ?? "")))?.total).toBe(1_000_000_000_000n);
    expect(
      await house?.apiKeys.list(
        operator?.id ?? "",
        { state: undefined, search: undefined, now: new Date() },
        10,
        undefined,
      ),
    ).toHaveLength(1);
  });

  it("show a first key only where there is none", async () => {
    expect(await Promise.all(houses.map((house) => makeFirstKey(house)))).toEqual(
      houses.map(() => undefined),
    );
  });
});

describe("the provider name of declared models", () => {
  const { read } = useConfigFiles();
  let database: TestDatabase;
  let house: House;

  beforeAll(async () => {
    database = await createTestDatabase();
    const site = { address: database.address, secret: new Secret("s"), log: openLog("silent") };
    house = await buildHouse({ config: readConfig({}), ...site });
    await prepareOperator(house);
  });
  afterAll(async () => {
    await house.close();
    await database.drop();
  });

  const declaring = (provider: string) => ({
    ...house,
    config: read([...PLAIN_MODEL, `    provider: ${provider}`]),
  });
  const open = (provider: string) =>
    house.accounts.create({
      id: newId(),
      name: "Acme Ltd",
      provider,
      operator: false,
      strategy: undefined,
      keepsContent: false,
      timeZone: "UTC",
      alerts: DEFAULT_ALERT_MARKS,
      createdAt: new Date(),
    });

  it("is refused where it belongs to an account, and nothing is declared", async () => {
    await open("acme");
    await expect(prepareOperator(declaring("acme"))).rejects.toThrow(
      /provider "acme".*belongs to the account "Acme Ltd"/,
    );
    expect(house.catalogue.all().filter(({ provider }) => provider === "acme")).toEqual([]);
    await prepareOperator(declaring("operator"));
  });

  it("stays taken when they are withdrawn, as what was counted of them stays", async () => {
    await prepareOperator(declaring("once-ours"));
    expect(await open("once-ours")).toBeUndefined();
    await prepareOperator(house);
    expect(house.catalogue.all().filter(({ provider }) => provider === "once-ours")).toEqual([]);
    expect(await open("once-ours")).toBeUndefined();
    expect(await open("never-ours")).toBeDefined();
  });

  it("keeps the operator's word on a model's share where the file says nothing of it", async () => {
    const shareOf = () => {
      const [model] = house.catalogue.registered().filter(({ name }) => name === "small");
      return [model?.weight, model?.canaryShare];
    };
    const plain = declaring("operator");
    await prepareOperator(plain);
    const [model] = house.catalogue.registered().filter(({ name }) => name === "small");
    await house.models.share(model?.id ?? "", { weight: 5, canaryShare: 0.5 });
    await prepareOperator(plain);
    expect(shareOf()).toEqual([5, 0.5]);
    await prepareOperator({
      ...house,
      config: read([...PLAIN_MODEL, "    provider: operator", "    weight: 2"]),
    });
    expect(shareOf()).toEqual([2, 0.5]);
  });
});
