import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ReplicatedPostgres, startReplicatedPostgres } from "../../../test/support/replicated-postgres.ts";
import { createReadinessCheck, openDatabase, startHeartbeat } from "./database.ts";

describe("several servers", () => {
  let servers: ReplicatedPostgres;

  beforeAll(async () => {
    servers = await startReplicatedPostgres(true);
  });
  afterAll(() => servers.stop());

  const portOf = async (way: () => Promise<unknown>): Promise<number> => Number(await way());
  const PORT = "SELECT current_setting('port')::integer AS port";

  it("are asked for the one that is sought", async () => {
    const { primary, standby } = servers;
    const soughtBy = async (role: string) => {
      const database = openDatabase(
        { connectionString: servers.urlOf(`?target_session_attrs=${role}`) },
        () => undefined,
      );
      try {
        return (await database.query<{ port: number }>(PORT))[0]?.port;
      } finally {
        await database.close();
      }
    };
    for (const role of ["read-write", "primary"]) expect(await soughtBy(role)).toBe(primary.port);
    for (const role of ["standby", "read-only", "prefer-standby"]) expect(await soughtBy(role)).toBe(standby.port);
    expect([primary.port, standby.port]).toContain(await soughtBy("any"));
  });

  it("are none that will do where all of them are standbys or away", async () => {
    const [alone, away] = [servers.standby.address, "127.0.0.1:1"];
    const database = openDatabase(
      { connectionString: `postgres://trunkline@${alone},${away}/trunkline` },
      () => undefined,
    );
    try {
      await expect(database.query("SELECT 1")).rejects.toMatchObject({
        type: "unavailable",
        cause: {
          code: "25006",
          message: expect.stringMatching(
            `No database server is a primary that takes writes \\(${alone} is a standby; ${away}: .*ECONNREFUSED`,
          ) as unknown,
        },
      });
      await expect(database.prepared("one", "SELECT 1", [])).rejects.toMatchObject({ type: "unavailable" });
    } finally {
      await database.close();
    }
  });

  it("are followed by every kind of connection when the primary hangs and the standby takes its place", async () => {
    const { primary, standby } = servers;
    const database = openDatabase({ connectionString: servers.urlOf() }, () => undefined);
    try {
      const isReady = createReadinessCheck(database);
      const connectAnew = async () => {
        const client = await database.connect("try");
        return (await client.query<{ port: number }>(PORT).finally(() => client.end())).rows[0]?.port;
      };
      const ways = [
        async () => (await database.query<{ port: number }>(PORT))[0]?.port,
        async () => (await database.prepared("port", PORT, []))[0],
        () => database.transaction(async (connection) => (await connection.query<{ port: number }>(PORT))[0]?.port),
        connectAnew,
      ];
      for (const way of ways) expect(await portOf(way)).toBe(primary.port);
      expect(await isReady()).toBe(true);
      const kept = await database.connect("kept");
      startHeartbeat(kept);
      const ended = new Promise((resolve) => kept.once("end", resolve));
      await database.query("CREATE TABLE charges (id integer)");
      await database.query("INSERT INTO charges VALUES (1)");

      await primary.hang();
      const waiting = expect(database.query("INSERT INTO charges VALUES (2)")).rejects.toMatchObject({
        type: "unavailable",
        cause: { message: "Connection terminated: another server has become the primary." },
      });
      expect(await isReady()).toBe(false);
      await standby.promote();
      // The heartbeat notices that the primary is gone. The next connection finds the new one, and cuts what waits for the one before.
      await ended;
      await expect.poll(() => portOf(connectAnew).catch(() => 0), { timeout: 30_000 }).toBe(standby.port);
      await waiting;
      for (const way of ways)
        await expect.poll(() => portOf(way).catch(() => 0), { timeout: 30_000 }).toBe(standby.port);
      await expect.poll(isReady, { timeout: 30_000 }).toBe(true);
      expect(await database.query("SELECT id FROM charges ORDER BY id")).toEqual([{ id: 1 }]);

      // The one before comes back as the primary that it was: what was written since is not on it.
      await primary.kill();
      await Promise.all([primary.start(), standby.kill()]);
      await expect(database.query("INSERT INTO charges VALUES (3)")).rejects.toMatchObject({ type: "unavailable" });
      await expect(database.query("INSERT INTO charges VALUES (3)")).rejects.toMatchObject({
        cause: {
          message: expect.stringMatching("it is a primary of timeline 1, and there has been one of 2") as unknown,
        },
      });
    } finally {
      await database.close();
    }
  });
});
