import { describe, expect, it } from "vitest";
import {
  parseStoredSafetyRules,
  parseStoredServiceSafetyRules,
  serviceSafetyRulesSchema,
  toSafetyRules,
  toSafetyRulesJson,
} from "./safety-rules-schema.ts";

const WHOLE = {
  preset: "strict",
  categories: { pii: "redact", hate: { report_at: 0.1, redact_at: null, refuse_at: 0.9 } },
  exceptions: [
    { models: ["acme/large", "nobody-has-this"], categories: { secret: "refuse" } },
    { providers: ["local"], preset: "off" },
  ],
  allow_list: ["Jailbreak Café"],
  dry_run: true,
  restore: false,
  locked: true,
};

describe("safety rules", () => {
  it("survive conversion to JSON and back", () => {
    const rules = toSafetyRules(serviceSafetyRulesSchema.parse(WHOLE));
    expect(rules.categories?.hate).toEqual({ reportAt: 0.1, redactAt: undefined, refuseAt: 0.9 });
    expect(JSON.parse(JSON.stringify(toSafetyRulesJson(rules)))).toEqual(WHOLE);
  });

  it.each([
    ["an unknown category", { categories: { rudeness: "refuse" } }, ["categories"]],
    ["an unknown action", { categories: { hate: "hide" } }, ["categories", "hate"]],
    ["an unknown preset", { preset: "lax" }, ["preset"]],
    [
      "a score beyond 1",
      { categories: { hate: { report_at: 0.1, refuse_at: 1.1 } } },
      ["categories", "hate", "refuse_at"],
    ],
    ["scores out of order", { categories: { hate: { report_at: 0.9, refuse_at: 0.1 } } }, ["categories", "hate"]],
    ["hate that is redacted", { categories: { hate: "redact" } }, ["categories", "hate"]],
    [
      "hate that is redacted from a score on",
      { categories: { hate: { report_at: 0.1, redact_at: 0.5, refuse_at: null } } },
      ["categories", "hate"],
    ],
    ["a looser rule for sexual_minors", { categories: { sexual_minors: "report" } }, ["categories", "sexual_minors"]],
    [
      "a looser score for sexual_minors",
      { categories: { sexual_minors: { report_at: 0.1, refuse_at: 0.6 } } },
      ["categories", "sexual_minors"],
    ],
    [
      "a looser rule for sexual_minors in an exception",
      { exceptions: [{ models: ["a"], categories: { sexual_minors: "allow" } }] },
      ["exceptions", 0, "categories", "sexual_minors"],
    ],
    ["an exception without models or providers", { exceptions: [{ preset: "off" }] }, ["exceptions", 0]],
    ["an exception with empty lists", { exceptions: [{ models: [] }] }, ["exceptions", 0, "models"]],
    ["too many exceptions", { exceptions: Array.from({ length: 21 }, () => ({ models: ["a"] })) }, ["exceptions"]],
    ["too many phrases", { allow_list: Array.from({ length: 101 }, (_, at) => `phrase ${at}`) }, ["allow_list"]],
    ["a phrase of one character", { allow_list: ["a"] }, ["allow_list", 0]],
    ["a phrase that is too long", { allow_list: ["a".repeat(201)] }, ["allow_list", 0]],
    ["an unknown field", { lenient: true }, []],
  ])("are refused with %s", (_what, rules, path) => {
    const read = serviceSafetyRulesSchema.safeParse(rules);
    expect(read.error?.issues[0]?.path).toEqual(path);
  });
});

describe("stored safety rules", () => {
  it("count as absent where they can't be parsed", () => {
    expect(parseStoredSafetyRules({ preset: "strict" })).toMatchObject({ preset: "strict" });
    for (const stored of [null, undefined, "strict", { preset: "later" }, { categories: { hate: "hide" } }])
      expect(parseStoredSafetyRules(stored)).toBeUndefined();
    expect(parseStoredServiceSafetyRules({ preset: "later" })).toBeUndefined();
  });

  it("of the service are also read in their older form", () => {
    const older = {
      preset: "off",
      categories: { pii: "refuse", hate: { reportAt: 0.2 }, illicit: { refuseAt: 0.7 } },
    };
    expect(parseStoredServiceSafetyRules(older)).toMatchObject({
      preset: "off",
      categories: {
        pii: "refuse",
        hate: { reportAt: 0.2, refuseAt: undefined },
        illicit: { reportAt: undefined, refuseAt: 0.7 },
      },
    });
  });
});
