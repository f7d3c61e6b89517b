import type { Part } from "@trunkline/core/answer.ts";
import { asked } from "@trunkline/testing/asked.ts";
import { turnsDuring } from "@trunkline/testing/turns-during.ts";
import { describe, expect, it } from "vitest";
import { createGuard, type Guard } from "../policy/guard.ts";
import { BALANCED, policyFromPreset } from "../policy/policy.ts";
import { ruleDetector } from "../rules/rule-detector.ts";
import { screenOutput } from "./screen-output.ts";

/** The texts that are passed on of an answer in one part. */
async function screened(words: string, guard: Guard): Promise<string[]> {
  async function* answer(): AsyncGenerator<Part> {
    yield { type: "text", text: words };
    yield { type: "finish", reason: "stop" };
  }
  const passed: string[] = [];
  for await (const part of screenOutput(guard, asked({}), answer(), () => {}))
    if (part.type === "text") passed.push(part.text);
  return passed;
}

describe("screenOutput, of one long part", () => {
  it("lets others have their turn while it judges one part that is very long, and keeps it one part", async () => {
    const words = "The harbour was quiet, and the boats came back with a little cod. ".repeat(3_000);
    let passed: string[] = [];
    const turns = await turnsDuring(async () => {
      passed = await screened(words, createGuard(ruleDetector, BALANCED));
    });
    expect(passed.join("")).toBe(words);
    expect(passed).toHaveLength(2);
    expect(turns).toBeGreaterThan(5);
  });

  it("takes thousands of values out of one part, whatever order they are found in", async () => {
    const redacting = createGuard(ruleDetector, policyFromPreset("balanced", { pii: "redact" }));
    const values = Array.from({ length: 4_000 }, (_, index) => `jo${index}@firma.de`);
    const passed = await screened(`${values.join(", ")}.`, redacting);
    expect(passed.join("")).toBe(`${values.map(() => "[REDACTED_EMAIL]").join(", ")}.`);
  });
});
