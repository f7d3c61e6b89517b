import { describe, expect, it } from "vitest";
import { decodeReasoningState, encodeReasoningState } from "./items.ts";

describe("what a provider knows its thoughts by", () => {
  it.each([{ signature: "sig+/=" }, { sealed: "only it can read this: ✓" }])("comes back as it was: %j", (seal) => {
    expect(decodeReasoningState(encodeReasoningState(seal), "x")).toEqual(seal);
  });

  it("is nothing where there is nothing", () => {
    expect(encodeReasoningState({})).toBeNull();
    expect(decodeReasoningState(null, "x")).toEqual({});
    expect(decodeReasoningState(undefined, "x")).toEqual({});
  });

  it("of another service is sealed to us", () => {
    expect(decodeReasoningState("gAAAAABo_not_ours", "x")).toEqual({ sealed: "gAAAAABo_not_ours" });
  });

  it.each([7, "", Buffer.from('{"signature":7}').toString("base64url")])("%j is refused by its name", (value) => {
    expect(() => decodeReasoningState(value, "input[0].encrypted_content")).toThrow(
      expect.objectContaining({ details: { param: "input[0].encrypted_content" } }),
    );
  });
});
