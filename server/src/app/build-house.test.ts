import { openLog } from "@trunkline/core/log.ts";
import { Mistake } from "@trunkline/core/mistake.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PLAIN_MODEL, useConfigFiles } from "../../test/support/config-file.ts";
import { type FreshStore, openFreshStore } from "../../test/support/fresh-store.ts";
import { buildHouse } from "./build-house.ts";
import { prepareOperator } from "./first-start.ts";

describe("a house that can't be built", () => {
  const { read } = useConfigFiles();
  let store: FreshStore;
  beforeAll(async () => {
    store = await openFreshStore();
  });
  afterAll(() => store.close());

  /** Connections to the store other than the test's own. */
  const strangers = () =>
    store.database.query(
      `SELECT application_name FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );

  it("leaves nothing open and nothing behind, such as under another secret", async () => {
    const config = read([...PLAIN_MODEL, "    auth_type: bearer", "    credential: the-provider's-own"]);
    const site = { config, address: store.address, log: openLog("silent") };
    const before = await buildHouse({ ...site, secret: new Secret("the first secret") });
    await prepareOperator(before);
    await before.close();
    await expect.poll(strangers).toEqual([]);
    await expect(buildHouse({ ...site, secret: new Secret("another secret") })).rejects.toThrow(Mistake);
    expect(await store.database.query("SELECT id FROM instances")).toEqual([]);
    await expect.poll(strangers).toEqual([]);
  });
});
