import type { Verdict } from "@trunkline/core/verdict.ts";
import { describe, expect, it } from "vitest";
import { zeroScores } from "./scores.ts";
import { combinePlainVerdicts, VerdictTally } from "./verdict-tally.ts";

const verdict = (part: Partial<Verdict>): Verdict => ({
  flagged: false,
  action: "allow",
  categories: zeroScores(),
  spans: [],
  normalised: [],
  ...part,
});

describe("combining verdicts in which nothing was found", () => {
  it("gives what the tally would", () => {
    const verdicts = [
      verdict({ categories: { ...zeroScores(), injection: 0.1, hate: 0.3 } }),
      verdict({ categories: { ...zeroScores(), injection: 0.2, hate: 0.1 } }),
    ];
    const tally = new VerdictTally();
    for (const each of verdicts) tally.add(each, 0);
    expect(combinePlainVerdicts(verdicts)).toStrictEqual(tally.verdict());
    expect(combinePlainVerdicts([])).toStrictEqual(new VerdictTally().verdict());
  });

  it.each<Partial<Verdict>>([
    { flagged: true, action: "report", acted: { hate: "report" } },
    { dryRun: "allow" },
    { normalised: ["base64"] },
    { spans: [{ category: "pii", start: 0, end: 4 }] },
    { opinions: [] },
    { decidedBy: "account" },
  ])("leaves others to the tally: %j", (part) => {
    expect(combinePlainVerdicts([verdict({}), verdict(part)])).toBeUndefined();
  });
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
