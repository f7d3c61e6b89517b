import { HeldClock } from "@trunkline/testing/held-clock.ts";
import { sampleCaller } from "@trunkline/testing/samples.ts";
import { beforeEach, describe, expect, it } from "vitest";
import { Reconciler, type UsageReport } from "./reconciler.ts";
import type { OwnModel, UsageComparison, UsageCount, UsageScope } from "./reconciliation.ts";

const HOUR_MS = 3_600_000;
const CALLER = sampleCaller({ provider: "acme" });
const OWN: readonly OwnModel[] = [
  { provider: "acme", name: "writer", type: "text" },
  { provider: "acme", name: "painter", type: "image" },
  { provider: "side", name: "writer", type: "text" },
  { provider: "side", name: "speaker", type: "audio" },
];

let own: readonly OwnModel[];
let clock: HeldClock;
let counted: UsageCount;
let asked: readonly UsageScope[];
let kept: UsageComparison[];
let reconciler: Reconciler;

beforeEach(() => {
  own = OWN;
  clock = new HeldClock(Date.parse("2026-01-15T12:00:00Z"));
  counted = { requests: 100, tokens: 1_000 };
  kept = [];
  const store = {
    modelsOf: async () => own,
    count: async (usageScopes: readonly UsageScope[]) => {
      asked = usageScopes;
      return usageScopes.map(() => counted);
    },
    save: async (_accountId: string, usageComparisons: readonly UsageComparison[]) => {
      kept.push(...usageComparisons);
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
  const [made] = await report(change);
  return { flagged: made?.flagged, provisional: made?.provisional };
};

describe("a report", () => {
  it("is compared, and kept as it was judged", async () => {
    const made = await report({ model: "writer", day: "2026-01-14" });
    expect(made).toEqual([
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
    expect(kept).toEqual(made);
  });

  it("of all models and all time is of what the account offers under its own name", async () => {
    await report();
    expect(asked).toEqual([{ provider: "acme", model: undefined, day: undefined }]);
  });

  it.each([
    ["writer", "acme", "writer"],
    ["acme/writer", "acme", "writer"],
    ["side/writer", "side", "writer"],
    ["speaker", "side", "speaker"],
  ])("of %s is of %s's %s", async (model, provider, name) => {
    await report({ model });
    expect(asked).toEqual([{ provider, model: name, day: undefined }]);
    expect(await reconciler.findModel(CALLER, model)).toMatchObject({ provider, name });
  });

  it("is provisional and never flagged until its day, and the grace after it, is over", async () => {
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

  it("is not judged by tokens where its models are not paid by them", async () => {
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
    ["of a model that nobody has", { model: "nobody" }, "not_found", "model"],
    ["of a model that is another's", { model: "other/writer" }, "not_found", "model"],
    ["of tomorrow", { day: "2026-01-16" }, "invalid_request", "day"],
    [
      "of tomorrow, within a list",
      { day: "2026-01-16", place: "reports[3]." },
      "invalid_request",
      "reports[3].day",
    ],
    [
      "of an unknown model within a list",
      { model: "x", place: "reports[0]." },
      "not_found",
      "reports[0].model",
    ],
  ])("%s", async (_what, change, type, param) => {
    await expect(report(change)).rejects.toMatchObject({ type, details: { param } });
    expect(kept).toEqual([]);
  });

  it("with all others where one is refused, or two are of the same model and day", async () => {
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
    await expect(list("writer", "nobody")).rejects.toMatchObject({ details: { param: "reports[1].model" } });
    await expect(list("writer", "painter", "acme/writer")).rejects.toMatchObject({
      type: "invalid_request",
      details: { param: "reports[2]" },
    });
    await expect(list(undefined, undefined)).rejects.toMatchObject({ details: { param: "reports[1]" } });
    expect(kept).toEqual([]);
    expect(await list("writer", "side/writer", undefined)).toHaveLength(3);
  });
});
