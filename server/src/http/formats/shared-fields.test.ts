import { describe, expect, it } from "vitest";
import { readModel } from "./shared-fields.ts";

describe("the name of a model", () => {
  it.each([
    ["auto", undefined],
    ["auto:cost", "cost-optimized"],
    ["auto:speed", "speed-optimized"],
    ["auto:quality", "quality-optimized"],
  ])("%s leaves the choice to the service", (name, strategy) => {
    expect(readModel(name)).toEqual({ model: undefined, strategy });
  });

  it.each(["gpt-x", "llama3:8b", "home/llama3:8b", "automatic", "constructor"])("%s is the name of a model", (name) => {
    expect(readModel(name)).toEqual({ model: name, strategy: undefined });
  });

  it.each([
    [undefined, "`model` is required."],
    [7, "`model` must be a string."],
    ["", "`model` must not be empty."],
    ["auto:best", "`model` must be one of auto, auto:cost, auto:speed, auto:quality, or the name of a model."],
    ["x".repeat(257), "`model` must be at most 256 characters."],
  ])("%j is refused", (value, message) => {
    expect(() => readModel(value)).toThrow(
      expect.objectContaining({ type: "invalid_request", message, details: { param: "model" } }),
    );
  });
});
