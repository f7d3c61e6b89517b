import { StartupError } from "@trunkline/core/fault.ts";
import { createLogger } from "@trunkline/core/log.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PLAIN_MODEL, useConfigFiles } from "../../test/support/config-file.ts";
import { type FreshStore, openFreshStore } from "../../test/support/fresh-store.ts";
import { createServices } from "./create-services.ts";
import { prepareOperator } from "./first-start.ts";

describe("a creation of services that fails", () => {
  const { read } = useConfigFiles();
  let store: FreshStore;
  beforeAll(async () => {
    store = await openFreshStore();
  });
  afterAll(() => store.close());

  /** Connections to the database other than the test's own. */
  const otherConnections = () =>
    store.database.query(
      `SELECT application_name FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );

  it("leaves no connection and no registered instance, such as with another secret", async () => {
    const config = read([...PLAIN_MODEL, "    auth_type: bearer", "    credential: the-provider's-own"]);
    const options = { config, address: store.address, log: createLogger("silent") };
    const before = await createServices({ ...options, secret: new Secret("the first secret") });
    await prepareOperator(before);
    await before.lifecycle.close();
    await expect.poll(otherConnections).toEqual([]);
    await expect(createServices({ ...options, secret: new Secret("another secret") })).rejects.toThrow(StartupError);
    expect(await store.database.query("SELECT id FROM instances")).toEqual([]);
    await expect.poll(otherConnections).toEqual([]);
  });
});
