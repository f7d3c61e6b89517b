import type { Verdict } from "@trunkline/core/verdict.ts";
import { describe, expect, it } from "vitest";
import { zeroScores } from "./scores.ts";
import { VerdictTally } from "./verdict-tally.ts";

const verdict = (part: Partial<Verdict>): Verdict => ({
  flagged: false,
  action: "allow",
  categories: zeroScores(),
  spans: [],
  normalised: [],
  ...part,
});

describe("VerdictTally", () => {
  it("allows without any verdict", () => {
    expect(new VerdictTally().verdict()).toEqual(verdict({}));
  });

  it("keeps the maximum of everything", () => {
    const tally = new VerdictTally();
    tally.add(verdict({ action: "refuse", categories: { injection: 0.9, pii: 0.1 }, normalised: ["base64"] }), 0);
    tally.add(verdict({ action: "report", categories: { injection: 0.2, pii: 0.6 }, normalised: ["base64"] }), 0);
    expect(tally.verdict()).toMatchObject({
      flagged: true,
      action: "refuse",
      categories: { injection: 0.9, pii: 0.6, hate: 0 },
      normalised: ["base64"],
    });
  });

  it("shifts spans by their offset and keeps the longer of two with the same start", () => {
    const tally = new VerdictTally();
    tally.add(verdict({ spans: [{ category: "pii", start: 0, end: 4 }] }), 10);
    tally.add(verdict({ spans: [{ category: "pii", start: 5, end: 12 }] }), 5);
    tally.add(verdict({ spans: [{ category: "pii", start: 10, end: 13 }] }), 0);
    expect(tally.verdict().spans).toEqual([{ category: "pii", start: 10, end: 17 }]);
  });

  it("limits the number of spans", () => {
    const tally = new VerdictTally();
    for (let at = 0; at < 1000; at += 1) {
      tally.add(verdict({ spans: [{ category: "pii", start: at, end: at + 1 }] }), 0);
    }
    expect(tally.verdict().spans.length).toBeLessThan(100);
  });
});
