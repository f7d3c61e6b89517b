import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { announceEndpoints, announceRecall, listenForChanges } from "./changes.ts";
import { type Database, openDatabase } from "./database.ts";

let store: FreshStore;
let listener: Database;
let stop: (() => Promise<void>) | undefined;

beforeAll(async () => {
  store = await openFreshStore();
  listener = openDatabase(store.address, () => undefined);
});
afterEach(async () => {
  await stop?.();
  stop = undefined;
});
afterAll(async () => {
  await listener.close();
  await store.close();
});

/** Listens, and lets a test wait until a change has been heard since a moment of its choice. */
async function listen() {
  const heard: string[] = [];
  let wake: () => void = () => undefined;
  const hear = (change: string) => {
    heard.push(change);
    wake();
  };
  const listening = await listenForChanges(listener, {
    onKeys: () => hear("keys"),
    onKeyCheck: () => hear("check of keys"),
    onModels: () => hear("models"),
    onSettings: () => hear("settings"),
    onCacheDropped: (accountId) => hear(accountId === undefined ? "cache" : `cache of ${accountId}`),
    onEndpoint: (notice) => hear(notice === undefined ? "endpoints" : `${notice.by} tells of ${notice.modelId}`),
    onOutcomes: () => hear("lessons"),
    onCertificates: () => hear("certificates"),
    onPlacements: () => hear("placements"),
    onRecall: ({ kind, id, by }) => hear(`${by} lacks the ${kind} of ${id}`),
  });
  stop = () => listening.stop();
  return {
    heard,
    forget: () => heard.splice(0),
    hears: async (change: string): Promise<void> => {
      while (!heard.includes(change)) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

const listeningPid = async () => {
  const sql =
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'trunkline listener'";
  return (await store.database.query<{ pid: number }>(sql))[0]?.pid;
};

describe("a change", () => {
  it("of an account or a key reaches every listener", async () => {
    const { forget, hears } = await listen();
    forget();
    const account = await store.makeAccount();
    await hears("keys");
    forget();
    await store.database.query("UPDATE accounts SET keeps_content = true WHERE id = $1", [account]);
    await hears("keys");
  });

  it("of endpoints is received for each, with the instance that reports it", async () => {
    const { heard, forget, hears } = await listen();
    forget();
    await announceEndpoints(store.database, ["one", "two"], "sibling");
    await hears("sibling tells of two");
    expect(heard).toEqual(["sibling tells of one", "sibling tells of two"]);
  });

  it("of a model is received as such", async () => {
    const { heard, forget, hears } = await listen();
    forget();
    await store.database.query("UPDATE models SET state = state");
    await hears("models");
    expect(heard).not.toContain("keys");
  });

  it("is received only once it is committed", async () => {
    const { heard, forget, hears } = await listen();
    forget();
    await store.database
      .transaction(async (connection) => {
        await connection.query("UPDATE models SET state = state");
        throw new Error("changed my mind");
      })
      .catch(() => undefined);
    // What comes later is heard later: had the first one been announced, it would be here by now.
    await store.makeAccount();
    await hears("keys");
    expect(heard).not.toContain("models");
  });

  it("may have happened before the listener started: all copies are stale at the start", async () => {
    const { heard } = await listen();
    expect(heard).toEqual(expect.arrayContaining(["keys", "models"]));
  });

  it("that is a lack of money is received with the instance and the pool", async () => {
    const { hears } = await listen();
    await announceRecall(store.database, { kind: "budget", id: "key-7", by: "instance-3" });
    await hears("instance-3 lacks the budget of key-7");
  });

  it("with an unknown payload is ignored", async () => {
    const { heard, forget, hears } = await listen();
    forget();
    await store.database.query("SELECT pg_notify('trunkline_changes', 'nonsense')");
    await store.makeAccount();
    await hears("keys");
    expect(heard.every((change) => change === "keys")).toBe(true);
  });
});

describe("a connection that breaks", () => {
  it("makes all copies stale at once, and changes are received again soon", async () => {
    const { forget, hears } = await listen();
    forget();
    const first = await listeningPid();
    await store.database.query("SELECT pg_terminate_backend($1)", [first]);
    await hears("keys");
    await hears("models");
    forget();
    // The second round of both comes over the new connection, once it listens.
    await hears("models");
    expect(await listeningPid()).not.toBe(first);
    forget();
    await store.makeAccount();
    await hears("keys");
  });
});

describe("after the end", () => {
  it("nothing is received any more, and no connection is left", async () => {
    const { heard, forget } = await listen();
    await stop?.();
    stop = undefined;
    forget();
    await store.makeAccount();
    await store.database.query("SELECT 1");
    expect(heard).toEqual([]);
    await expect.poll(listeningPid).toBeUndefined();
  });
});
