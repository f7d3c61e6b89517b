import { randomBytes } from "node:crypto";
import { newId } from "@trunkline/core/id.ts";
import { newGate } from "@trunkline/testing/gate.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../test/support/fresh-store.ts";
import { takeTokens, type UpdateWindow } from "../ledger/limits/token-bucket.ts";
import { type Database, openDatabase } from "./database/database.ts";
import { PostgresAttemptCounts, PostgresRateWindows } from "./rate-limits.ts";

describe("rate windows", () => {
  let store: FreshStore;
  let databases: Database[];
  let instances: PostgresRateWindows[];

  beforeAll(async () => {
    store = await openFreshStore();
    databases = [0, 1, 2].map(() => openDatabase(store.address, () => undefined));
    instances = databases.map((database) => new PostgresRateWindows(database));
  });

  afterAll(async () => {
    await Promise.all(databases.map((database) => database.close()));
    await store.close();
  });

  const first = () => instances[0] ?? new PostgresRateWindows(store.database);

  /** Counts the changes of a key, in the place of its tokens. */
  const count: UpdateWindow<number> = (known, nowMs) => {
    const tokens = (known?.tokens ?? 0) + 1;
    return { state: { atMs: nowMs, tokens, grants: [] }, answer: tokens };
  };

  describe("the state of a key", () => {
    it("begins as nothing, and is what the last change made of it", async () => {
      const key = newId();
      const seen: unknown[] = [];
      const note: UpdateWindow<void> = (known, nowMs) => {
        seen.push(known?.grants);
        return { state: { atMs: nowMs, tokens: 0.1, grants: [[nowMs, seen.length]] }, answer: undefined };
      };
      for (const instance of instances) await instance.update(key, note);
      expect(seen).toEqual([undefined, [[expect.any(Number), 1]], [[expect.any(Number), 2]]]);
    });

    it("loses no change of many at the same time", async () => {
      const key = newId();
      const changes = Array.from({ length: 90 }, (_, at) => (instances[at % 3] ?? first()).update(key, count));
      const answers = await Promise.all(changes);
      expect(answers.toSorted((one, other) => one - other)).toEqual(answers.map((_, at) => at + 1));
    });

    it("goes by the database's clock, which never goes back between changes", async () => {
      const key = newId();
      const lapses: number[] = [];
      const look: UpdateWindow<void> = (known, nowMs) => ({
        state: { atMs: nowMs, tokens: 0, grants: [] },
        answer: void lapses.push(nowMs - (known?.atMs ?? nowMs)),
      });
      await Promise.all(Array.from({ length: 30 }, (_, at) => (instances[at % 3] ?? first()).update(key, look)));
      expect(Math.min(...lapses)).toBeGreaterThanOrEqual(0);
      const rows = await store.database.query<{ late_ms: number }>(
        `SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 - (state->>'atMs')::float8 AS late_ms
       FROM rate_windows WHERE key_id = $1`,
        [key],
      );
      expect(rows[0]?.late_ms).toBeGreaterThan(0);
    });

    it("is not blocked by an instance that has read it and then stalls", async () => {
      const key = newId();
      const { database } = store;
      const gate = newGate();
      const stalling: Database = {
        ...database,
        async query(text, values) {
          if (text.startsWith("INSERT")) await gate.opened;
          return database.query(text, values);
        },
      };
      const looks: (number | undefined)[] = [];
      const stalled = new PostgresRateWindows(stalling).update(key, (known, nowMs) => {
        looks.push(known?.tokens);
        return count(known, nowMs);
      });
      await expect.poll(() => looks).toEqual([undefined]);
      expect(await first().update(key, count)).toBe(1);
      expect(await first().update(key, count)).toBe(2);
      gate.open();
      expect(await stalled).toBe(3);
      expect(looks).toEqual([undefined, 2]);
    });
  });

  describe("a limit on three instances of one database", () => {
    it("grants a small one exactly, on any instance", async () => {
      const key = newId();
      const take: UpdateWindow<number> = (known, nowMs) => {
        const ask = { want: 1, useful: 1, ceiling: Number.POSITIVE_INFINITY };
        const { state, answer } = takeTokens(known, nowMs, { limit: 20, burst: 20 }, ask);
        return { state, answer: answer.granted };
      };
      const grants = await Promise.all(
        Array.from({ length: 90 }, (_, at) => (instances[at % 3] ?? first()).update(key, take)),
      );
      expect(grants.reduce((sum, granted) => sum + granted, 0)).toBe(20);
    });
  });

  describe("the sweep", () => {
    it("deletes the keys that were not used for minutes, and no others", async () => {
      const [old, fresh] = [newId(), newId()];
      await first().update(old, count);
      await first().update(fresh, count);
      await store.database.query(
        "UPDATE rate_windows SET touched_at = now() - interval '6 minutes' WHERE key_id = $1",
        [old],
      );
      await first().sweep();
      expect(await first().update(old, count)).toBe(1);
      expect(await first().update(fresh, count)).toBe(2);
    });
  });

  describe("the table", () => {
    it("is unlogged: a rate limit waits for no disk", async () => {
      const rows = await store.database.query("SELECT relpersistence FROM pg_class WHERE relname = 'rate_windows'");
      expect(rows).toEqual([{ relpersistence: "u" }]);
    });
  });

  describe("a store that is away", () => {
    it("answers with its own fault", async () => {
      const gone = openDatabase({ ...store.address, host: "/nonexistent" }, () => undefined);
      const change = new PostgresRateWindows(gone).update(newId(), count);
      await expect(change).rejects.toMatchObject({ type: "unavailable", status: 503 });
      await gone.close();
    });
  });
});

describe("attempt counts", () => {
  let store: FreshStore;
  let tallies: PostgresAttemptCounts;

  beforeAll(async () => {
    store = await openFreshStore();
    tallies = new PostgresAttemptCounts(store.database);
  });
  afterAll(() => store.close());

  const RULE = { times: 5, minutes: 10 };

  describe("a count of attempts", () => {
    it("allows a fixed number, also when all come at once, and says how long to wait", async () => {
      const key = randomBytes(32);
      const waits = await Promise.all(Array.from({ length: 8 }, () => tallies.count(key, RULE)));
      const refused = waits.filter((wait) => wait !== undefined);
      expect(refused).toHaveLength(3);
      for (const wait of refused) {
        expect(wait).toBeGreaterThan(0);
        expect(wait).toBeLessThanOrEqual(120);
      }
      expect(await tallies.count(randomBytes(32), RULE)).toBeUndefined();
    });

    it("gives one back after its share of the time, however often it was refused meanwhile", async () => {
      const key = randomBytes(32);
      for (let time = 0; time < 20; time++) await tallies.count(key, RULE);
      await store.database.query(
        "UPDATE door_tallies SET forgotten_at = forgotten_at - interval '120 s' WHERE key = $1",
        [key],
      );
      expect(await tallies.count(key, RULE)).toBeUndefined();
      expect(await tallies.count(key, RULE)).toBeGreaterThan(0);
    });

    it("is swept once all attempts are available again", async () => {
      const [gone, kept] = [randomBytes(32), randomBytes(32)];
      for (const key of [gone, kept]) await tallies.count(key, RULE);
      await store.database.query("UPDATE door_tallies SET forgotten_at = now() - interval '1 s' WHERE key = $1", [
        gone,
      ]);
      await tallies.sweep();
      const rows = await store.database.query<{ key: Buffer }>("SELECT key FROM door_tallies WHERE key = ANY($1)", [
        [gone, kept],
      ]);
      expect(rows.map(({ key }) => key)).toEqual([kept]);
    });
  });
});
