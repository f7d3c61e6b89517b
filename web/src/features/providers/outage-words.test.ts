import { describe, expect, it } from "vitest";
import { outageAdvice } from "./outage-words.ts";

describe("what to do about an outage", () => {
  it("depends on why the endpoint refuses", () => {
    expect(outageAdvice({ why: "credential" })).toMatch(/credential .* check it/);
    expect(outageAdvice({ why: "funds" })).toMatch(/Top up .* check the model/);
  });
});
