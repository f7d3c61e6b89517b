import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../test/support/fresh-store.ts";
import { PostgresAttemptCounts } from "./door-tallies.ts";

let store: FreshStore;
let tallies: PostgresAttemptCounts;

beforeAll(async () => {
  store = await openFreshStore();
  tallies = new PostgresAttemptCounts(store.database);
});
afterAll(() => store.close());

const RULE = { times: 5, minutes: 10 };

describe("a tally", () => {
  it("allows so many, also when all come at once, and says how long to wait", async () => {
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

  it("is swept once everything of it is forgotten", async () => {
    const [gone, kept] = [randomBytes(32), randomBytes(32)];
    for (const key of [gone, kept]) await tallies.count(key, RULE);
    await store.database.query(
      "UPDATE door_tallies SET forgotten_at = now() - interval '1 s' WHERE key = $1",
      [gone],
    );
    await tallies.sweep();
    const rows = await store.database.query<{ key: Buffer }>(
      "SELECT key FROM door_tallies WHERE key = ANY($1)",
      [[gone, kept]],
    );
    expect(rows.map(({ key }) => key)).toEqual([kept]);
  });
});
