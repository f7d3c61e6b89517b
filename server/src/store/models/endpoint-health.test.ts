import { newId } from "@trunkline/core/id.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { EndpointHealth } from "@trunkline/providers/health/endpoint-health.ts";
import { ONE_FAILED_CALL, QUARTER_HOUR_MS, totalsOfAnswer } from "@trunkline/providers/health/endpoint-totals.ts";
import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import { recordAnswer } from "@trunkline/testing/recorded-calls.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { PostgresEndpointStates, PostgresEndpointStats, sweepEndpointStats } from "./endpoint-health.ts";

describe("endpoint-states", () => {
  let fresh: FreshStore;
  let store: PostgresEndpointStates;

  beforeAll(async () => {
    fresh = await openFreshStore();
    store = new PostgresEndpointStates(fresh.database, newId());
  });

  afterAll(() => fresh.close());

  const NOBODY: ReadonlySet<string> = new Set();
  const broken = new ProviderFailure("broken", "it broke");
  const fine = { ms: 500, firstPartMs: 100, outputTokens: 200 };

  /** What an instance knows of an endpoint after a number of answers and failures. */
  function known(modelId: string, { atMs = 0, answers = 0, failures = 0, pause = 0 }) {
    const clock = new ManualClock();
    clock.advance(atMs);
    const health = new EndpointHealth(clock, () => 0);
    for (let call = 0; call < answers; call++) recordAnswer(health, (ms) => clock.advance(ms), modelId, fine);
    for (let call = 0; call < failures; call++) health.observe(modelId).failed(broken);
    const paused = health.observe(modelId);
    if (pause > 0) paused.pause(pause);
    paused.dispose();
    const snapshot = health.snapshotOf(modelId);
    if (snapshot === undefined) throw new Error("Nothing is known.");
    return snapshot;
  }

  describe("PostgresEndpointStates", () => {
    it("returns what was written, also of an endpoint that was never taken out of service or never called", async () => {
      const [one, other] = [newId(), newId()];
      const snapshots = [known(one, { answers: 9, failures: 1 }), known(other, { pause: 5 })];
      await store.put(snapshots, NOBODY);
      const read = await store.read({ modelIds: [one, other] });
      expect(read.toSorted((a, b) => (a.modelId === one ? -1 : b.modelId === one ? 1 : 0))).toEqual(snapshots);
    });

    it("keeps the later of each part, in any order of writes", async () => {
      const modelId = newId();
      const older = known(modelId, { atMs: 1_000, failures: 5, pause: 60 });
      const newer = known(modelId, { atMs: 2_000, answers: 3 });
      await store.put([newer], NOBODY);
      await store.put([older], NOBODY);
      const [read] = await store.read({ modelIds: [modelId] });
      expect(read?.measurements).toEqual(newer.measurements);
      expect(read?.breaker).toMatchObject({ openings: 1, pausedUntilMs: older.breaker.pausedUntilMs });
    });

    it("reads only what was written recently where that is asked for", async () => {
      const modelId = newId();
      await store.put([known(modelId, { answers: 1 })], NOBODY);
      const ids = async () => (await store.read({ withinMs: 60_000 })).map((snapshot) => snapshot.modelId);
      expect(await ids()).toContain(modelId);
      await fresh.database.query(
        "UPDATE endpoint_states SET written_at = now() - interval '2 minutes' WHERE model_id = $1",
        [modelId],
      );
      expect(await ids()).not.toContain(modelId);
    });

    it("gives the turn to probe to one instance per interval", async () => {
      const turns = await Promise.all([1, 2, 3].map(() => store.claimProbeTurn(15_000)));
      expect(turns.filter((turn) => turn)).toHaveLength(1);
      await fresh.database.query("UPDATE probe_turns SET taken_at = now() - interval '15 seconds'");
      expect(await store.claimProbeTurn(15_000)).toBe(true);
    });

    it("deletes endpoints without calls for a month", async () => {
      const modelId = newId();
      await store.put([known(modelId, { answers: 1 })], NOBODY);
      await fresh.database.query(
        "UPDATE endpoint_states SET written_at = now() - interval '31 days' WHERE model_id = $1",
        [modelId],
      );
      await store.sweep();
      expect(await store.read({ modelIds: [modelId] })).toEqual([]);
    });
  });
});

describe("endpoint statistics", () => {
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

  describe("PostgresEndpointStats", () => {
    it("adds what several instances write for one quarter", async () => {
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
        sums.map(({ atMs, calls }) => [(atMs - NOON) / QUARTER_HOUR_MS, calls]).sort(([a = 0], [b = 0]) => a - b),
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

    it("accepts two writes of the same rows in opposite order", async () => {
      const pages = Array.from({ length: 200 }, () => ({ modelId: newId(), atMs: NOON, ...answer }));
      await Promise.all([1, 2, 3, 4].flatMap(() => [store.add(pages), store.add(pages.toReversed())]));
      const modelIds = pages.map(({ modelId }) => modelId);
      const sums = await store.sums({ sinceMs: NOON, spanMs: QUARTER_HOUR_MS, modelIds });
      expect(new Set(sums.map(({ calls }) => calls))).toEqual(new Set([8]));
    });

    it("deletes what is older than 90 days, and nothing else", async () => {
      const modelId = newId();
      const dayMs = 96 * QUARTER_HOUR_MS;
      const daysAgo = (days: number) => ({ modelId, atMs: Date.now() - days * dayMs, ...answer });
      await store.add([daysAgo(91), daysAgo(89), daysAgo(0)]);
      await sweepEndpointStats(fresh.database);
      const sums = await store.sums({ sinceMs: 0, spanMs: QUARTER_HOUR_MS, modelIds: [modelId] });
      expect(sums).toHaveLength(2);
    });
  });
});
