import { SAFETY_CATEGORIES } from "@trunkline/core/safety-policy.ts";
import { describe, expect, it } from "vitest";
import { actionFor, BALANCED, OFF, policyFromPreset, STRICT } from "./policy.ts";

describe("policyFromPreset", () => {
  it("is the preset without overrides", () => {
    expect(policyFromPreset("balanced")).toEqual(BALANCED);
    expect(policyFromPreset("strict")).toEqual(STRICT);
    expect(policyFromPreset("off")).toEqual(OFF);
  });

  it("overrides the action of one category", () => {
    const policy = policyFromPreset("balanced", { pii: "refuse", injection: "report", hate: "allow" });
    expect(actionFor(policy, "pii", 0.6)).toBe("refuse");
    expect(actionFor(policy, "injection", 1)).toBe("report");
    expect(actionFor(policy, "hate", 1)).toBe("allow");
    expect(policy.violence).toEqual(BALANCED.violence);
  });

  it("accepts custom thresholds", () => {
    const policy = policyFromPreset("balanced", { injection: { reportAt: 0.1, refuseAt: 0.99 } });
    expect(actionFor(policy, "injection", 0.9)).toBe("report");
  });

  it("can enable one category of the off preset", () => {
    expect(actionFor(policyFromPreset("off", { secret: "refuse" }), "secret", 0.9)).toBe("refuse");
  });
});

describe("redaction", () => {
  it("is between reporting and refusing", () => {
    const policy = policyFromPreset("balanced", { pii: { reportAt: 0.3, redactAt: 0.5, refuseAt: 0.9 } });
    expect([0.2, 0.3, 0.5, 0.9].map((score) => actionFor(policy, "pii", score))).toEqual([
      "allow",
      "report",
      "redact",
      "refuse",
    ]);
    expect(actionFor(policyFromPreset("balanced", { secret: "redact" }), "secret", 0.5)).toBe("redact");
    expect(actionFor(policyFromPreset("strict", { secret: "report" }), "secret", 1)).toBe("report");
  });

  it("of secrets and personal data is part of the strict preset", () => {
    expect(actionFor(STRICT, "pii", 0.9)).toBe("redact");
    expect(actionFor(STRICT, "secret", 0.9)).toBe("redact");
    expect(actionFor(BALANCED, "secret", 0.9)).toBe("report");
  });
});

describe("the presets", () => {
  it("refuse clear attacks and report uncertain ones", () => {
    expect(actionFor(BALANCED, "injection", 0.9)).toBe("refuse");
    expect(actionFor(BALANCED, "injection", 0.6)).toBe("report");
    expect(actionFor(BALANCED, "injection", 0.4)).toBe("allow");
  });

  it("refuse no more when balanced than when strict", () => {
    const severity = ["allow", "report", "redact", "refuse"];
    for (const category of SAFETY_CATEGORIES) {
      for (let score = 0; score <= 1; score += 0.05) {
        const balanced = severity.indexOf(actionFor(BALANCED, category, score));
        expect(severity.indexOf(actionFor(STRICT, category, score))).toBeGreaterThanOrEqual(balanced);
      }
    }
  });

  it("act on nothing when off, except sexual_minors", () => {
    const acting = SAFETY_CATEGORIES.filter((category) => actionFor(OFF, category, 1) !== "allow");
    expect(acting).toEqual(["sexual_minors"]);
  });
});
