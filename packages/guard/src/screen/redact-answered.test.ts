import { describe, expect, it } from "vitest";
import { createGuard } from "../policy/guard.ts";
import { policyFromPreset } from "../policy/policy.ts";
import { runToEnd } from "../resumable.ts";
import { ruleDetector } from "../rules/rule-detector.ts";
import { redactToolArguments } from "./redact-answered.ts";

const { findValuesToRedact: valuesIn } = createGuard(
  ruleDetector,
  policyFromPreset("balanced", { secret: "redact", pii: "redact" }),
);
const redacted = (json: string, own?: string) =>
  runToEnd(redactToolArguments(json, { findValues: valuesIn, isExempt: (value) => value === own }));

describe("values in JSON", () => {
  it.each([
    ["behind an escape", String.raw`{"body":"Hi\njo@firma.de"}`, String.raw`{"body":"Hi\n[REDACTED_EMAIL]"}`],
    ["before one", String.raw`["jo@firma.de\n\"so\""]`, String.raw`["[REDACTED_EMAIL]\n\"so\""]`],
    ["in escapes", String.raw`["\u006ao\u0040firma.de\u000a"]`, String.raw`["[REDACTED_EMAIL]\n"]`],
    ["as a number", '{"card":4111111111111111, "n": 1e2}', '{"card":"[REDACTED_CARD]", "n": 1e2}'],
    ["as a name", '{"jo@firma.de": 12345678901234567890}', '{"[REDACTED_EMAIL]": 12345678901234567890}'],
    ["twice", '"jo@firma.de, bo@firma.de"', '"[REDACTED_EMAIL], [REDACTED_EMAIL]"'],
  ])("are taken out %s, and it stays JSON", (_where, json, without) => {
    expect(redacted(json).text).toBe(without);
    expect(() => JSON.parse(without)).not.toThrow();
  });

  it("stay where they are the caller's own, also behind an escape", () => {
    const json = String.raw`{"body":"Hi\njo@firma.de"}`;
    expect(redacted(json, "jo@firma.de")).toEqual({ text: json, kinds: [] });
  });

  it("are told by their kinds", () => {
    expect(redacted(String.raw`["\tjo@firma.de", 4111111111111111]`).kinds).toEqual(["email", "card"]);
  });

  it("are found in plain words where there is no JSON", () => {
    expect(redacted("{jo@firma.de")).toEqual({ text: "{[REDACTED_EMAIL]", kinds: ["email"] });
  });

  it.each([
    ["that is cut off", String.raw`{"a":"jo\u0040firma.de", "b":`, `{"a":"[REDACTED_EMAIL]", "b":`],
    [
      "that is cut off in the middle of it",
      String.raw`{"u":"postgres:\/\/bob:hunter2!x@db.firma.de\/x`,
      String.raw`{"u":"postgres:\/\/bob:[REDACTED_PASSWORD]\/x`,
    ],
    [
      "that stands in a string",
      String.raw`{"x":"{\"a\":\"jo\\u0040firma.de\", \"n\": 1}"}`,
      String.raw`{"x":"{\"a\":\"[REDACTED_EMAIL]\", \"n\": 1}"}`,
    ],
    ["in a path", String.raw`{"x":"C:\\new\\jo@firma.de"}`, String.raw`{"x":"C:\\new\\[REDACTED_EMAIL]"}`],
  ])("are found behind the escapes of JSON %s", (_where, json, without) => {
    expect(redacted(json).text).toBe(without);
  });

  it("are found in steps, and stay where the policy lets them", () => {
    const json = `{"a": "${String.raw`jo\u0040firma.de `.repeat(4_000)}`;
    expect(redacted(json).kinds).toHaveLength(4_000);
    const reporting = createGuard(ruleDetector, policyFromPreset("balanced", { secret: "redact" }));
    const { text } = runToEnd(
      redactToolArguments(json, { findValues: reporting.findValuesToRedact, isExempt: () => false }),
    );
    expect(text).toBe(json);
  });

  it("are known by the names of their fields, behind quotes and breaks of their own", () => {
    const json = JSON.stringify({ password: 'Tr0ub4dor"&3', note: 'She said: "jo@firma.de"\nBye' });
    expect(JSON.parse(redacted(json).text)).toEqual({
      password: "[REDACTED_PASSWORD]",
      note: 'She said: "[REDACTED_EMAIL]"\nBye',
    });
  });
});
