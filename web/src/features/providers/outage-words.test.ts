import { describe, expect, it } from "vitest";
import { outageAdvice } from "./outage-words.ts";

describe("what to do about an outage", () => {
  it("depends on why the endpoint refuses", () => {
    expect(outageAdvice({ why: "credential" })).toMatch(/API key .* run the check/);
    expect(outageAdvice({ why: "funds" })).toMatch(/Top up .* run the check/);
  });
});
