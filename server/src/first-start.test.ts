import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openLog } from "../src/kit/log.ts";
import { createTestDatabase, type TestDatabase } from "../test/test-database.ts";
import { readConfig } from "./config.ts";
import { balanceLot } from "./domain/lot.ts";
import { makeFirstKey, prepareOperator } from "./first-start.ts";
import { buildHouse, type House } from "./house.ts";
import { Secret } from "./kit/secret.ts";

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
    expect(await house?.apiKeys.list(operator?.id ?? "", 10, undefined)).toHaveLength(1);
  });

  it("show a first key only where there is none", async () => {
    expect(await Promise.all(houses.map((house) => makeFirstKey(house)))).toEqual(
      houses.map(() => undefined),
    );
  });
});
