import { newId } from "@trunkline/core/id.ts";
import { ONE_FAILED_CALL, totalsOfAnswer } from "@trunkline/providers/health/endpoint-figures.ts";
import { QUARTER_HOUR_MS } from "@trunkline/providers/health/quarter-store.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { PostgresEndpointStats, sweepEndpointStats } from "./model-quarters.ts";

const NOON = Date.UTC(2026, 0, 15, 12);
const answer = totalsOfAnswer({ ms: 500, firstPartMs: 100, outputTokens: 200 });

let fresh: FreshStore;
let store: PostgresEndpointStats;

beforeAll(async () => {
  fresh = await openFreshStore();
  store = new PostgresEndpointStats(fresh.database);
});

afterAll(async () => {
  await fresh.close();
});

describe("PostgresModelQuarters", () => {
  it("adds what several instances tell of one quarter", async () => {
    const modelId = newId();
    const page = { modelId, atMs: NOON, ...answer };
    await Promise.all([1, 2, 3].map(() => store.add([page])));
    await store.add([{ modelId, atMs: NOON, ...ONE_FAILED_CALL }]);
    const sums = await store.sums({ sinceMs: NOON, spanMs: QUARTER_HOUR_MS, modelIds: [modelId] });
    expect(sums).toEqual([
      {
        modelId,
        atMs: NOON,
        calls: 4,
        failures: 1,
        answeredMs: 1_500,
        firstParts: 3,
        firstPartMs: 300,
        outputTokens: 600,
        streamedTokens: 600,
        streamedMs: 1_200,
      },
    ]);
  });

  it("sums in spans that begin where the question does, of the endpoints that are asked for", async () => {
    const [one, other] = [newId(), newId()];
    const pages = [0, 1, 3, 4].map((quarter) => ({
      modelId: one,
      atMs: NOON + quarter * QUARTER_HOUR_MS,
      ...answer,
    }));
    await store.add([...pages, { modelId: other, atMs: NOON, ...answer }]);
    const sums = await store.sums({
      sinceMs: NOON + QUARTER_HOUR_MS,
      spanMs: 2 * QUARTER_HOUR_MS,
      modelIds: [one],
    });
    expect(
      sums
        .map(({ atMs, calls }) => [(atMs - NOON) / QUARTER_HOUR_MS, calls])
        .sort(([a = 0], [b = 0]) => a - b),
    ).toEqual([
      [1, 1],
      [3, 2],
    ]);
    const until = await store.sums({
      sinceMs: NOON,
      untilMs: NOON + 3 * QUARTER_HOUR_MS,
      spanMs: 8 * QUARTER_HOUR_MS,
      modelIds: [one],
    });
    expect(until.map(({ calls }) => calls)).toEqual([2]);
    const all = await store.sums({ sinceMs: NOON, spanMs: QUARTER_HOUR_MS });
    expect(all.map(({ modelId }) => modelId)).toEqual(expect.arrayContaining([one, other]));
  });

  it("takes two that add the same rows in opposite order", async () => {
    const pages = Array.from({ length: 200 }, () => ({ modelId: newId(), atMs: NOON, ...answer }));
    await Promise.all([1, 2, 3, 4].flatMap(() => [store.add(pages), store.add(pages.toReversed())]));
    const modelIds = pages.map(({ modelId }) => modelId);
    const sums = await store.sums({ sinceMs: NOON, spanMs: QUARTER_HOUR_MS, modelIds });
    expect(new Set(sums.map(({ calls }) => calls))).toEqual(new Set([8]));
  });

  it("forgets what is older than 90 days, and nothing else", async () => {
    const modelId = newId();
    const dayMs = 96 * QUARTER_HOUR_MS;
    const daysAgo = (days: number) => ({ modelId, atMs: Date.now() - days * dayMs, ...answer });
    await store.add([daysAgo(91), daysAgo(89), daysAgo(0)]);
    await sweepEndpointStats(fresh.database);
    const sums = await store.sums({ sinceMs: 0, spanMs: QUARTER_HOUR_MS, modelIds: [modelId] });
    expect(sums).toHaveLength(2);
  });
});
