import { describe, expect, it } from "vitest";
import { decodeReasoningState, encodeReasoningState } from "./items.ts";

describe("the state of a thought", () => {
  it.each([{ signature: "sig+/=" }, { sealed: "only it can read this: ✓" }])("survives a round trip: %j", (seal) => {
    expect(decodeReasoningState(encodeReasoningState(seal), "x")).toEqual(seal);
  });

  it("is null where there is none", () => {
    expect(encodeReasoningState({})).toBeNull();
    expect(decodeReasoningState(null, "x")).toEqual({});
    expect(decodeReasoningState(undefined, "x")).toEqual({});
  });

  it("of another service is read as a sealed thought", () => {
    expect(decodeReasoningState("gAAAAABo_not_ours", "x")).toEqual({ sealed: "gAAAAABo_not_ours" });
  });

  it.each([7, "", Buffer.from('{"signature":7}').toString("base64url")])("%j is refused by its name", (value) => {
    expect(() => decodeReasoningState(value, "input[0].encrypted_content")).toThrow(
      expect.objectContaining({ details: { param: "input[0].encrypted_content" } }),
    );
  });
});
