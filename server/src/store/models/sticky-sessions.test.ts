import { newId } from "@trunkline/core/id.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { PostgresStickySessions } from "./sticky-sessions.ts";

let store: FreshStore;
let sessions: PostgresStickySessions;

beforeAll(async () => {
  store = await openFreshStore();
  sessions = new PostgresStickySessions(store.database);
});
afterAll(() => store.close());

const at = (minutes: number) => new Date(Date.UTC(2026, 0, 15, 12, minutes));
const word = (text: string) => Buffer.from(text.padEnd(32));

describe("the sessions' models", () => {
  it("are kept many at once, found by account and session until they end, and changed", async () => {
    const [one, other] = [newId(), newId()];
    await sessions.keep([
      { accountId: one, session: word("s"), model: "a/x", expiresAt: at(10) },
      { accountId: other, session: word("s"), model: "a/y", expiresAt: at(20) },
    ]);
    expect(await sessions.find(one, word("s"), at(0))).toEqual({ model: "a/x", expiresAt: at(10) });
    expect(await sessions.find(other, word("s"), at(0))).toEqual({ model: "a/y", expiresAt: at(20) });
    expect(await sessions.find(one, word("t"), at(0))).toBeUndefined();
    expect(await sessions.find(one, word("s"), at(10))).toBeUndefined();
    await sessions.keep([{ accountId: one, session: word("s"), model: "a/z", expiresAt: at(30) }]);
    expect(await sessions.find(one, word("s"), at(0))).toEqual({ model: "a/z", expiresAt: at(30) });
  });

  it("are not overwritten by an instance that writes an older answer late", async () => {
    const accountId = newId();
    await sessions.keep([{ accountId, session: word("s"), model: "a/new", expiresAt: at(30) }]);
    await sessions.keep([{ accountId, session: word("s"), model: "a/old", expiresAt: at(29) }]);
    expect(await sessions.find(accountId, word("s"), at(0))).toMatchObject({ model: "a/new" });
  });

  it("are swept away once they have ended", async () => {
    const accountId = newId();
    await sessions.keep([
      { accountId, session: word("over"), model: "a/x", expiresAt: at(5) },
      { accountId, session: word("on"), model: "a/x", expiresAt: at(50) },
    ]);
    await sessions.sweep(at(5));
    const left = await store.database.query("SELECT model FROM session_models WHERE account_id = $1", [accountId]);
    expect(left).toHaveLength(1);
  });

  it("are unlogged: where a prompt may be cached is not worth a disk write", async () => {
    const rows = await store.database.query("SELECT relpersistence FROM pg_class WHERE relname = 'session_models'");
    expect(rows).toEqual([{ relpersistence: "u" }]);
  });
});
