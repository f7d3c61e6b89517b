import { newId } from "@trunkline/core/id.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { sampleSettlement } from "../../../test/support/sample-settlement.ts";
import type { PostgresLedger } from "../ledger/ledger.ts";
import { sampleRoutedRequests } from "./request-samples.ts";

const NOW = Date.parse("2026-01-15T12:00:00Z");
const HOUR_MS = 60 * 60 * 1000;
let store: FreshStore;
let ledger: PostgresLedger;

beforeAll(async () => {
  store = await openFreshStore();
  ledger = await store.openLedger();
});
afterAll(() => store.close());

const CHOSEN = { routing: { strategy: "hybrid", chosen_by: "account" } };
const NAMED = { routing: { strategy: "hybrid", chosen_by: "name" } };

async function accountWith(count: number, hoursAgo: (index: number) => number, detail: (index: number) => object) {
  const accountId = await store.makeAccount();
  const keyId = await store.makeKey(accountId);
  const written = Array.from({ length: count }, (_, index) => {
    const createdAt = new Date(NOW - hoursAgo(index) * HOUR_MS);
    const requestId = newId(createdAt.getTime());
    return sampleSettlement({ accountId, keyId, requestId, createdAt, detail: { ...detail(index) } });
  });
  for (let from = 0; from < count; from += 250) await ledger.write(written.slice(from, from + 250));
  return accountId;
}

const since = (hours: number) => new Date(NOW - hours * HOUR_MS);

describe("requests for a routing report", () => {
  it("are those since a moment whose model the service chose, the newest first, and of no other account", async () => {
    const accountId = await accountWith(
      6,
      (index) => index * 10,
      (index) => (index === 1 ? NAMED : CHOSEN),
    );
    await accountWith(
      3,
      () => 1,
      () => CHOSEN,
    );
    const { oneIn, requests } = await sampleRoutedRequests([store.database], accountId, since(35));
    expect(oneIn).toBe(1);
    expect(requests.map(({ created_at }) => (NOW - created_at.getTime()) / HOUR_MS)).toEqual([0, 20, 30]);
  });

  it("are an even sample of very many, the same one each time", async () => {
    const accountId = await accountWith(
      800,
      (index) => index / 10,
      () => CHOSEN,
    );
    const drawn = await sampleRoutedRequests([store.database], accountId, since(100), 300);
    expect(drawn.oneIn).toBe(4);
    expect(drawn.requests.length).toBeGreaterThan(120);
    expect(drawn.requests.length).toBeLessThan(300);
    const hours = drawn.requests.map(({ created_at }) => (NOW - created_at.getTime()) / HOUR_MS);
    const mean = hours.reduce((sum, one) => sum + one, 0) / hours.length;
    expect(mean).toBeGreaterThan(30);
    expect(mean).toBeLessThan(50);
    expect(await sampleRoutedRequests([store.database], accountId, since(100), 300)).toEqual(drawn);
  });

  it("are never more than the limit", async () => {
    const accountId = await accountWith(
      200,
      () => 1,
      () => CHOSEN,
    );
    const { oneIn, requests } = await sampleRoutedRequests([store.database], accountId, since(5), 3);
    expect(oneIn).toBeGreaterThan(1);
    expect(requests.length).toBeLessThanOrEqual(3);
  });
});
