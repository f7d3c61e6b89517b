import { describe, expect, it } from "vitest";
import { draftOf, errorsOf, hasErrors, type Rules, type RulesDraft, rulesOf } from "./safety-draft.ts";

const WHOLE: Rules = {
  preset: "strict",
  categories: { pii: "redact", hate: { report_at: 0.1, redact_at: null, refuse_at: 0.9 } },
  exceptions: [
    { models: ["acme/large", "small"], categories: { secret: "refuse" } },
    { providers: ["local"], preset: "off" },
  ],
  allow_list: ["Jailbreak Café", "kill -9"],
  dry_run: true,
  restore: false,
};
const EMPTY = draftOf(null);
const wrong = (part: Partial<RulesDraft>) => errorsOf({ ...EMPTY, ...part });

describe("rules as they are written", () => {
  it("are sent as they were read", () => {
    expect(rulesOf(draftOf(WHOLE))).toEqual(WHOLE);
    expect(rulesOf(EMPTY)).toEqual({});
    expect(hasErrors(errorsOf(draftOf(WHOLE)))).toBe(false);
  });

  it("say nothing of what was left empty", () => {
    expect(rulesOf({ ...EMPTY, allowList: " \n one phrase \n\none phrase" })).toEqual({
      allow_list: ["one phrase"],
    });
    expect(rulesOf({ ...EMPTY, choices: { hate: { report: 0.5, redact: 0.7, refuse: undefined } } })).toEqual({
      categories: { hate: { report_at: 0.5, redact_at: null, refuse_at: null } },
    });
  });

  it("are found wrong where the service would refuse them", () => {
    const marks = (report?: number, redact?: number, refuse?: number) => ({ report, redact, refuse });
    expect(wrong({ choices: { hate: marks(0.9, undefined, 0.1) } }).categories.get("hate")).toMatch(/rise/);
    expect(wrong({ choices: { hate: marks(2) } }).categories.get("hate")).toMatch(/0 to 1/);
    expect(wrong({ choices: { sexual_minors: marks(0.1, undefined, 0.9) } }).categories.size).toBe(1);
    expect(wrong({ choices: { pii: marks(0.1, 0.2, 0.3) } }).categories.size).toBe(0);
    expect(wrong({ allowList: "x" }).allowList).toMatch(/2 to 200/);
    expect(wrong({ allowList: Array.from({ length: 101 }, (_, at) => `phrase ${at}`).join("\n") }).allowList).toMatch(
      /100/,
    );
    const exception = { id: 7, models: " ", providers: "", preset: "off", choices: {} } as const;
    expect(wrong({ exceptions: [exception] }).exceptions.get(7)).toMatch(/Enter the models/);
    expect(wrong({ exceptions: [{ ...exception, models: "a", preset: "inherit" }] }).exceptions.size).toBe(1);
  });
});
