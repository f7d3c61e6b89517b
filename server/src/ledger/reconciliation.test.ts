import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import { sampleCaller } from "@trunkline/testing/samples.ts";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import {
  exceedsThreshold,
  type OwnModel,
  Reconciler,
  type UsageComparison,
  type UsageCount,
  type UsageReport,
  type UsageScope,
} from "./reconciliation.ts";

describe("exceedsThreshold", () => {
  const TERMS = { threshold: 0.05, minimumRequests: 10, graceMs: 0 };
  const tally = (requests: number, tokens = 1_000) => ({ requests, tokens });

  describe("two counts", () => {
    it.each([
      ["equal", tally(100), tally(100), false],
      ["apart by just the threshold, above", tally(105), tally(100), false],
      ["apart by just the threshold, below", tally(95), tally(100), false],
      ["apart by more, above", tally(106), tally(100), true],
      ["apart by more, below", tally(94), tally(100), true],
      ["apart in tokens alone", tally(100, 1_051), tally(100, 1_000), true],
      ["apart by just the threshold in tokens", tally(100, 1_050), tally(100, 1_000), false],
      ["few on both sides", tally(9), tally(1), false],
      ["few on our side alone", tally(10), tally(1), true],
      ["few on their side alone", tally(0), tally(10), true],
      ["nothing on our side", tally(10, 0), tally(0, 0), true],
      ["nothing on either side", tally(0, 0), tally(0, 0), false],
      ["tokens where we counted none", tally(10, 1), tally(10, 0), true],
    ])("that are %s", (_how, reported, counted, expected) => {
      expect(exceedsThreshold(reported, counted, TERMS, true)).toBe(expected);
    });

    it("are compared by their requests alone when tokens do not count", () => {
      expect(exceedsThreshold(tally(100, 0), tally(100, 9_999), TERMS, false)).toBe(false);
      expect(exceedsThreshold(tally(106, 0), tally(100, 9_999), TERMS, false)).toBe(true);
    });

    it("may differ by exactly the threshold, in whole percents, and by no request more", () => {
      fc.assert(
        fc.property(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 1, max: 1_000_000 }), (percent, times) => {
          const terms = { ...TERMS, threshold: percent / 100 };
          const [ours, allowed] = [times * 100, times * percent];
          for (const side of [-1, 1]) {
            expect(exceedsThreshold(tally(ours + side * allowed), tally(ours), terms, true)).toBe(false);
            expect(exceedsThreshold(tally(ours + side * (allowed + 1)), tally(ours), terms, true)).toBe(true);
          }
        }),
      );
    });
  });
});

describe("Reconciler", () => {
  const HOUR_MS = 3_600_000;
  const CALLER = sampleCaller({ provider: "acme" });
  const OWN: readonly OwnModel[] = [
    { provider: "acme", name: "writer", type: "text" },
    { provider: "acme", name: "painter", type: "image" },
    { provider: "side", name: "writer", type: "text" },
    { provider: "side", name: "speaker", type: "audio" },
  ];

  let own: readonly OwnModel[];
  let clock: ManualClock;
  let counted: UsageCount;
  let countedScopes: readonly UsageScope[];
  let saved: UsageComparison[];
  let reconciler: Reconciler;

  beforeEach(() => {
    own = OWN;
    clock = new ManualClock(Date.parse("2026-01-15T12:00:00Z"));
    counted = { requests: 100, tokens: 1_000 };
    saved = [];
    const store = {
      modelsOf: async () => own,
      count: async (usageScopes: readonly UsageScope[]) => {
        countedScopes = usageScopes;
        return usageScopes.map(() => counted);
      },
      save: async (_accountId: string, usageComparisons: readonly UsageComparison[]) => {
        saved.push(...usageComparisons);
      },
    };
    reconciler = new Reconciler(store, { threshold: 0.05, minimumRequests: 10, graceMs: HOUR_MS }, clock);
  });

  const report = (change: Partial<UsageReport> = {}) =>
    reconciler.report(CALLER, [
      {
        paramPrefix: "",
        model: undefined,
        day: undefined,
        reported: { requests: 200, tokens: 1_000 },
        ...change,
      },
    ]);
  const flagsOf = async (change: Partial<UsageReport>) => {
    const [comparison] = await report(change);
    return { flagged: comparison?.flagged, provisional: comparison?.provisional };
  };

  describe("a report", () => {
    it("is compared and stored", async () => {
      const comparisons = await report({ model: "writer", day: "2026-01-14" });
      expect(comparisons).toEqual([
        {
          provider: "acme",
          model: "writer",
          day: "2026-01-14",
          reported: { requests: 200, tokens: 1_000 },
          counted,
          provisional: false,
          flagged: true,
        },
      ]);
      expect(saved).toEqual(comparisons);
    });

    it("of all models and all time covers what the account offers under its own name", async () => {
      await report();
      expect(countedScopes).toEqual([{ provider: "acme", model: undefined, day: undefined }]);
    });

    it.each([
      ["writer", "acme", "writer"],
      ["acme/writer", "acme", "writer"],
      ["side/writer", "side", "writer"],
      ["speaker", "side", "speaker"],
    ])("of %s is of %s's %s", async (model, provider, name) => {
      await report({ model });
      expect(countedScopes).toEqual([{ provider, model: name, day: undefined }]);
      expect(await reconciler.findModel(CALLER, model)).toMatchObject({ provider, name });
    });

    it("is provisional and never flagged until its day and the grace period are over", async () => {
      const PROVISIONAL = { provisional: true, flagged: false };
      expect(await flagsOf({ day: "2026-01-15" })).toEqual(PROVISIONAL);
      clock.advance(12 * HOUR_MS + HOUR_MS - 1);
      expect(await flagsOf({ day: "2026-01-15" })).toEqual(PROVISIONAL);
      clock.advance(1);
      expect(await flagsOf({ day: "2026-01-15" })).toEqual({ provisional: false, flagged: true });
    });

    it("of all time is never provisional", async () => {
      expect(await flagsOf({})).toEqual({ provisional: false, flagged: true });
    });

    it("is not compared by tokens when its models are not paid by them", async () => {
      const reported = { requests: 100, tokens: 0 };
      expect(await flagsOf({ model: "painter", reported })).toMatchObject({ flagged: false });
      expect(await flagsOf({ model: "speaker", reported })).toMatchObject({ flagged: false });
      expect(await flagsOf({ model: "writer", reported })).toMatchObject({ flagged: true });
      expect(await flagsOf({ reported })).toMatchObject({ flagged: true });
      own = OWN.filter(({ name }) => name === "painter");
      expect(await flagsOf({ reported })).toMatchObject({ flagged: false });
      own = [];
      expect(await flagsOf({ reported })).toMatchObject({ flagged: true });
    });
  });

  describe("a report is refused", () => {
    it.each([
      ["of an unknown model", { model: "nobody" }, "not_found", "model"],
      ["of another account's model", { model: "other/writer" }, "not_found", "model"],
      ["of tomorrow", { day: "2026-01-16" }, "invalid_request", "day"],
      [
        "of tomorrow, within a list",
        { day: "2026-01-16", paramPrefix: "reports[3]." },
        "invalid_request",
        "reports[3].day",
      ],
      [
        "of an unknown model within a list",
        { model: "x", paramPrefix: "reports[0]." },
        "not_found",
        "reports[0].model",
      ],
    ])("%s", async (_what, change, type, param) => {
      await expect(report(change)).rejects.toMatchObject({ type, details: { param } });
      expect(saved).toEqual([]);
    });

    it("together with all others when one is refused, or two are of the same model and day", async () => {
      const reported = { requests: 1, tokens: 1 };
      const list = (...models: (string | undefined)[]) =>
        reconciler.report(
          CALLER,
          models.map((model, index) => ({
            paramPrefix: `reports[${index}].`,
            model,
            day: "2026-01-14",
            reported,
          })),
        );
      await expect(list("writer", "nobody")).rejects.toMatchObject({
        details: { param: "reports[1].model" },
      });
      await expect(list("writer", "painter", "acme/writer")).rejects.toMatchObject({
        type: "invalid_request",
        details: { param: "reports[2]" },
      });
      await expect(list(undefined, undefined)).rejects.toMatchObject({ details: { param: "reports[1]" } });
      expect(saved).toEqual([]);
      expect(await list("writer", "side/writer", undefined)).toHaveLength(3);
    });
  });
});
