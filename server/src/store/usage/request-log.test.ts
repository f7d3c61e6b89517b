import { balancePool } from "@trunkline/core/funds-pool.ts";
import { newId } from "@trunkline/core/id.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { sampleSettlement } from "../../../test/support/sample-settlement.ts";
import type { Settlement } from "../../ledger/billing/settlement.ts";
import type { PostgresLedger } from "../ledger/ledger.ts";
import { type RequestCursor, type RequestFilter, RequestLog } from "./request-log.ts";

let store: FreshStore;
let ledger: PostgresLedger;
let log: RequestLog;

beforeAll(async () => {
  store = await openFreshStore();
  ledger = await store.openLedger();
  log = new RequestLog(store.database, 10);
});
afterAll(() => store.close());

/** An account with these requests on record, one a second, and their ids. */
async function accountWith(...requests: Partial<Settlement>[]): Promise<{ accountId: string; ids: string[] }> {
  const accountId = await store.makeAccount(1_000_000n);
  await ledger.extendLease(balancePool(accountId), 1_000_000n);
  const keyId = await store.makeKey(accountId);
  const written = requests.map((change, second) =>
    sampleSettlement({
      accountId,
      keyId,
      cost: 1n,
      createdAt: new Date(Date.UTC(2026, 0, 15) + second * 1000),
      ...change,
    }),
  );
  await ledger.write(written);
  return { accountId, ids: written.map(({ requestId }) => requestId) };
}

const many = (count: number, change: Partial<Settlement> = {}) => Array.from({ length: count }, () => change);

async function found(accountId: string, filter: RequestFilter, limit = 100, cursor?: RequestCursor) {
  const { rows, searchedUntil } = await log.page(accountId, filter, limit, cursor);
  return { ids: rows.map(({ id }) => id), searchedUntil };
}

describe("the log of requests", () => {
  it("is read newest first, and both ways from a cursor", async () => {
    const { accountId, ids } = await accountWith(...many(5));
    const [first, second, third, fourth, fifth] = ids as [string, string, string, string, string];
    expect((await found(accountId, {}, 2)).ids).toEqual([fifth, fourth]);
    expect((await found(accountId, {}, 2, { id: fourth, towards: "older" })).ids).toEqual([third, second]);
    expect((await found(accountId, {}, 2, { id: second, towards: "newer" })).ids).toEqual([third, fourth]);
    expect((await found(accountId, { after: third })).ids).toEqual([fifth, fourth]);
    expect((await found(accountId, { id: first })).ids).toEqual([first]);
  });

  it("shows an account its own requests alone, with any filter", async () => {
    const { accountId, ids } = await accountWith(...many(3));
    const [row] = (await log.page(accountId, {}, 1, undefined)).rows;
    const otherAccount = await store.makeAccount();
    const [id = "", keyId] = [ids[0], row?.key_id];
    for (const filter of [{}, { id }, { keyId }, { keyId, task: "text" }])
      expect(await found(otherAccount, filter)).toEqual({ ids: [], searchedUntil: undefined });
    expect(await log.find(otherAccount, id)).toBeUndefined();
    expect(await log.find(accountId, id)).toMatchObject({ id, cost: 1n, key_name: "Test", detail: {} });
  });

  it("is narrowed by every filter", async () => {
    const { accountId, ids } = await accountWith(
      { model: "small", provider: "acme", task: "chat", cost: 5n, latencyMs: 100 },
      { model: "large", provider: "acme", task: "code", cost: 50n, latencyMs: 2_000 },
      {
        model: "small",
        provider: "other",
        task: "code",
        status: 502,
        errorType: "provider_error",
        cost: 0n,
        latencyMs: 1,
      },
      {
        model: undefined,
        provider: undefined,
        task: "chat",
        status: 403,
        errorType: "unsafe_input",
        cost: 0n,
        latencyMs: 1,
      },
      { model: "small", provider: "acme", task: "chat", status: 499, cost: 0n, latencyMs: 1 },
    );
    const places = async (filter: RequestFilter) =>
      (await found(accountId, filter)).ids.map((id) => ids.indexOf(id)).sort((a, b) => a - b);
    expect(await places({ model: "small" })).toEqual([0, 2, 4]);
    expect(await places({ model: "small", provider: "acme" })).toEqual([0, 4]);
    expect(await places({ provider: "other" })).toEqual([2]);
    expect(await places({ task: "code" })).toEqual([1, 2]);
    expect(await places({ status: { from: 100, to: 399 } })).toEqual([0, 1]);
    expect(await places({ status: { from: 400, to: 599, but: 499 } })).toEqual([2, 3]);
    expect(await places({ status: { from: 499, to: 499 } })).toEqual([4]);
    expect(await places({ errorType: "unsafe_input" })).toEqual([3]);
    expect(await places({ minCost: 5n })).toEqual([0, 1]);
    expect(await places({ minCost: 6n })).toEqual([1]);
    expect(await places({ minLatencyMs: 100 })).toEqual([0, 1]);
    const at = (second: number) => new Date(Date.UTC(2026, 0, 15) + second * 1000);
    expect(await places({ from: at(1), to: at(3) })).toEqual([1, 2]);
    expect(await places({ keyId: newId() })).toEqual([]);
  });

  it("is searched for a text in what was stored, whatever stands in it", async () => {
    const content = (input: string, output: string) => ({ detail: { error: "Hello", content: { input, output } } });
    const { accountId, ids } = await accountWith(
      content('Say "Hello" to\n\u0000 Zoë', "Good day."),
      content("Anything", "She said HELLO twice."),
      { detail: { error: "Hello" } },
    );
    const places = async (text: string) => (await found(accountId, { text })).ids.map((id) => ids.indexOf(id));
    // A step of this log is two requests long.
    expect(await places("hello")).toEqual([1]);
    const all = new RequestLog(store.database);
    const search = async (text: string) =>
      (await all.page(accountId, { text }, 10, undefined)).rows.map(({ id }) => ids.indexOf(id));
    expect(await search("hello")).toEqual([1, 0]);
    expect(await search('"Hello" to\n')).toEqual([0]);
    expect(await search("Zoë")).toEqual([0]);
    for (const text of ["output", "input", "%", "day.Any"]) expect(await search(text)).toEqual([]);
  });

  it("is searched in steps, each of which says how far it came", async () => {
    const { accountId, ids } = await accountWith({ task: "rare" }, ...many(24), { task: "rare" }, ...many(5));
    const steps: { ids: string[]; searchedUntil: string | undefined }[] = [];
    let cursor: RequestCursor | undefined;
    do {
      const step = await found(accountId, { task: "rare" }, 100, cursor);
      steps.push(step);
      cursor = step.searchedUntil === undefined ? undefined : { id: step.searchedUntil, towards: "older" };
    } while (cursor !== undefined);
    expect(steps.map((step) => step.ids)).toEqual([[ids[25]], [], [], [ids[0]]]);
    expect(steps[0]?.searchedUntil).toBe(ids[21]);
    const back = await found(accountId, { task: "rare" }, 100, { id: ids[0] ?? "", towards: "newer" });
    expect(back).toEqual({ ids: [], searchedUntil: ids[10] });
  });

  it("needs no steps for errors, nor for the requests of one key", async () => {
    const { accountId, ids } = await accountWith({ status: 502, errorType: "provider_error", cost: 0n }, ...many(30));
    const failed = await found(accountId, { status: { from: 500, to: 599 } });
    expect(failed).toEqual({ ids: [ids[0]], searchedUntil: undefined });
    const keyId = await store.makeKey(accountId);
    const asked = sampleSettlement({ accountId, keyId, createdAt: new Date(Date.UTC(2026, 0, 1)) });
    await ledger.write([asked]);
    expect(await found(accountId, { keyId, task: "text" })).toEqual({
      ids: [asked.requestId],
      searchedUntil: undefined,
    });
  });

  it("stops no search that has found enough", async () => {
    const { accountId } = await accountWith(...many(30));
    const { ids, searchedUntil } = await found(accountId, { task: "text" }, 5);
    expect([ids.length, searchedUntil]).toEqual([5, undefined]);
  });
});
