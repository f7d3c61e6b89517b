import { SAFETY_CATEGORIES, type SafetyRules, type ServiceSafetyRules } from "@trunkline/core/safety-policy.ts";
import { describe, expect, it } from "vitest";
import { EffectivePolicy, mergeServiceRules } from "./merge-policies.ts";
import { actionFor, BALANCED, OFF, STRICT } from "./policy.ts";

const merged = (service: ServiceSafetyRules, account?: SafetyRules, key?: SafetyRules) =>
  new EffectivePolicy(service, { account, key });
const policyOf = (...rules: Parameters<typeof merged>) => merged(...rules).policyFor().policy;
const severity = ["allow", "report", "redact", "refuse"];

describe("EffectivePolicy", () => {
  it("is balanced without any rules", () => {
    expect(policyOf({})).toEqual(BALANCED);
    expect(merged({})).toMatchObject({ dryRun: false, restoresRedactions: true, allowList: [], hasExceptions: false });
  });

  it("keeps what a level does not set", () => {
    const policy = policyOf({ preset: "strict", categories: { pii: "refuse" } }, { categories: { hate: "allow" } });
    expect(policy.pii.refuseAt).toBe(0.5);
    expect(policy.hate.reportAt).toBeUndefined();
    expect(policy.violence).toEqual(STRICT.violence);
  });

  it("starts over at a preset, whatever lower levels set", () => {
    const policy = policyOf({ categories: { pii: "refuse" } }, { preset: "off" }, { categories: { secret: "redact" } });
    expect(policy.pii).toEqual(OFF.pii);
    expect(policy.secret).toMatchObject({ reportAt: 0.5, redactAt: 0.5 });
  });

  it("reports the level that decided each category", () => {
    const { decidedBy } = merged(
      {},
      { categories: { pii: "refuse", hate: "report" } },
      { categories: { pii: "allow" } },
    ).policyFor();
    expect(decidedBy).toMatchObject({ pii: "key", hate: "account", violence: "service" });
    expect(merged({}, { preset: "strict" }).policyFor().decidedBy.violence).toBe("account");
  });

  it("never loosens sexual_minors", () => {
    expect(policyOf({ preset: "strict" }, { preset: "off" }).sexual_minors).toEqual(STRICT.sexual_minors);
    const loose = { reportAt: undefined, refuseAt: 1 };
    for (const rule of ["allow", "report", loose] as const)
      expect(actionFor(policyOf({}, { categories: { sexual_minors: rule } }), "sexual_minors", 0.5)).toBe("refuse");
    expect(actionFor(policyOf({}, { categories: { sexual_minors: "refuse" } }), "sexual_minors", 0.3)).toBe("refuse");
  });

  it("takes allow list, dry run and restore from the key last", () => {
    const rules = merged(
      { allowList: ["one"], dryRun: true, restore: false },
      { allowList: ["two"] },
      { dryRun: false, restore: true },
    );
    expect(rules).toMatchObject({ allowList: ["two"], dryRun: false, restoresRedactions: true });
  });
});

describe("a locked policy", () => {
  const service: ServiceSafetyRules = {
    locked: true,
    restore: false,
    allowList: ["our name"],
    categories: { pii: "redact" },
    exceptions: [{ providers: ["acme"], preset: "strict" }],
  };
  const loose: SafetyRules = {
    preset: "off",
    allowList: ["anything"],
    dryRun: true,
    restore: true,
    exceptions: [{ providers: ["acme"], categories: { injection: "allow" } }],
  };

  it("can only be made stricter, for every category and model", () => {
    for (const model of [undefined, { provider: "acme", name: "large" }]) {
      const own = merged(service).policyFor(model).policy;
      for (const rules of [merged(service, loose), merged(service, undefined, loose)]) {
        for (const category of SAFETY_CATEGORIES) {
          for (let score = 0; score <= 1; score += 0.1) {
            const action = actionFor(rules.policyFor(model).policy, category, score);
            expect(severity.indexOf(action)).toBeGreaterThanOrEqual(severity.indexOf(actionFor(own, category, score)));
          }
        }
      }
    }
    expect(actionFor(policyOf(service, { categories: { harassment: "refuse" } }), "harassment", 0.5)).toBe("refuse");
  });

  it("ignores allow lists and dry runs of other levels", () => {
    expect(merged(service, loose)).toMatchObject({ allowList: ["our name"], dryRun: false, restoresRedactions: false });
  });

  it("is decided by the service unless another level is stricter", () => {
    const { decidedBy } = merged(service, { categories: { pii: "allow", hate: "refuse" } }).policyFor();
    expect(decidedBy).toMatchObject({ pii: "service", hate: "account" });
  });
});

describe("an exception", () => {
  const rules = merged(
    { exceptions: [{ models: ["small", "acme/large"], categories: { pii: "refuse" } }] },
    { exceptions: [{ providers: ["local"], preset: "off" }] },
  );
  const piiOf = (provider: string | undefined, name: string) =>
    actionFor(rules.policyFor({ provider, name }).policy, "pii", 0.9);

  it("applies to a model name, a provider's model, or all models of a provider", () => {
    expect(piiOf("acme", "small")).toBe("refuse");
    expect(piiOf("acme", "large")).toBe("refuse");
    expect(piiOf("other", "large")).toBe("report");
    expect(piiOf("local", "small")).toBe("allow");
    expect(piiOf(undefined, "small")).toBe("refuse");
    expect(piiOf(undefined, "large")).toBe("report");
  });

  it("is merged once for all models to which it applies", () => {
    expect(rules.policyFor({ provider: "acme", name: "small" })).toBe(
      rules.policyFor({ provider: "acme", name: "large" }),
    );
    expect(rules.policyFor({ provider: "other", name: "large" })).toBe(rules.policyFor());
  });
});

describe("mergeServiceRules", () => {
  it("keeps what the live settings do not set, and starts over at a preset", () => {
    const file: ServiceSafetyRules = {
      preset: "strict",
      categories: { pii: "allow" },
      allowList: ["a name"],
    };
    expect(mergeServiceRules(file, { categories: { hate: "refuse" }, locked: true })).toMatchObject({
      preset: "strict",
      categories: { pii: "allow", hate: "refuse" },
      allowList: ["a name"],
      locked: true,
    });
    expect(mergeServiceRules(file, { preset: "off" })).toMatchObject({
      preset: "off",
      categories: undefined,
    });
  });
});
