import { SAFETY_CATEGORIES, type SafetyRules, type ServiceSafetyRules } from "@trunkline/core/safety-policy.ts";
import { describe, expect, it } from "vitest";
import { EffectivePolicy, mergeServiceRules } from "./merge-policies.ts";
import { actionFor, BALANCED, OFF, STRICT } from "./policy.ts";

const laid = (service: ServiceSafetyRules, account?: SafetyRules, key?: SafetyRules) =>
  new EffectivePolicy(service, { account, key });
const policyOf = (...rules: Parameters<typeof laid>) => laid(...rules).policyFor().policy;
const severity = ["allow", "report", "redact", "refuse"];

describe("rules laid over each other", () => {
  it("are balanced where nobody says anything", () => {
    expect(policyOf({})).toEqual(BALANCED);
    expect(laid({})).toMatchObject({ dryRun: false, restores: true, allowList: [], hasExceptions: false });
  });

  it("keep what a level does not say", () => {
    const policy = policyOf({ preset: "strict", categories: { pii: "refuse" } }, { categories: { hate: "allow" } });
    expect(policy.pii.refuseAt).toBe(0.5);
    expect(policy.hate.reportAt).toBeUndefined();
    expect(policy.violence).toEqual(STRICT.violence);
  });

  it("begin anew at a preset, whatever the levels below said of a category", () => {
    const policy = policyOf({ categories: { pii: "refuse" } }, { preset: "off" }, { categories: { secret: "redact" } });
    expect(policy.pii).toEqual(OFF.pii);
    expect(policy.secret).toMatchObject({ reportAt: 0.5, redactAt: 0.5 });
  });

  it("tell whose each category is", () => {
    const { decidedBy } = laid(
      {},
      { categories: { pii: "refuse", hate: "report" } },
      { categories: { pii: "allow" } },
    ).policyFor();
    expect(decidedBy).toMatchObject({ pii: "key", hate: "account", violence: "service" });
    expect(laid({}, { preset: "strict" }).policyFor().decidedBy.violence).toBe("account");
  });

  it("never loosen what is said of the sexual abuse of children", () => {
    expect(policyOf({ preset: "strict" }, { preset: "off" }).sexual_minors).toEqual(STRICT.sexual_minors);
    const loose = { reportAt: undefined, refuseAt: 1 };
    for (const rule of ["allow", "report", loose] as const)
      expect(actionFor(policyOf({}, { categories: { sexual_minors: rule } }), "sexual_minors", 0.5)).toBe("refuse");
    expect(actionFor(policyOf({}, { categories: { sexual_minors: "refuse" } }), "sexual_minors", 0.3)).toBe("refuse");
  });

  it("let the last word on a list, a dry run and restoring be the key's", () => {
    const rules = laid(
      { allowList: ["one"], dryRun: true, restore: false },
      { allowList: ["two"] },
      { dryRun: false, restore: true },
    );
    expect(rules).toMatchObject({ allowList: ["two"], dryRun: false, restores: true });
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
      const own = laid(service).policyFor(model).policy;
      for (const rules of [laid(service, loose), laid(service, undefined, loose)]) {
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

  it("hears neither the lists nor the dry runs of others", () => {
    expect(laid(service, loose)).toMatchObject({ allowList: ["our name"], dryRun: false, restores: false });
  });

  it("is the service's own where nobody is stricter", () => {
    const { decidedBy } = laid(service, { categories: { pii: "allow", hate: "refuse" } }).policyFor();
    expect(decidedBy).toMatchObject({ pii: "service", hate: "account" });
  });
});

describe("an exception", () => {
  const rules = laid(
    { exceptions: [{ models: ["small", "acme/large"], categories: { pii: "refuse" } }] },
    { exceptions: [{ providers: ["local"], preset: "off" }] },
  );
  const piiOf = (provider: string | undefined, name: string) =>
    actionFor(rules.policyFor({ provider, name }).policy, "pii", 0.9);

  it("is about a name, a provider's name, or all that a provider has", () => {
    expect(piiOf("acme", "small")).toBe("refuse");
    expect(piiOf("acme", "large")).toBe("refuse");
    expect(piiOf("other", "large")).toBe("report");
    expect(piiOf("local", "small")).toBe("allow");
    expect(piiOf(undefined, "small")).toBe("refuse");
    expect(piiOf(undefined, "large")).toBe("report");
  });

  it("is laid once for all models that it is about", () => {
    expect(rules.policyFor({ provider: "acme", name: "small" })).toBe(
      rules.policyFor({ provider: "acme", name: "large" }),
    );
    expect(rules.policyFor({ provider: "other", name: "large" })).toBe(rules.policyFor());
  });
});

describe("the operator's rules over the configuration's", () => {
  it("keep what they do not say, and begin anew at a preset", () => {
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
