import { describe, expect, it } from "vitest";
import { similarNames } from "./catalogue.ts";

describe("similarNames", () => {
  it("finds the name behind a typing error", () => {
    expect(similarNames("lama-70b", ["llama-70b", "mistral-large", "sketch"])).toEqual(["llama-70b"]);
  });

  it("finds a name by its beginning, and the beginning of a longer name", () => {
    expect(similarNames("gpt", ["gpt-large-2024-11"])).toEqual(["gpt-large-2024-11"]);
    expect(similarNames("gpt-large-2024-11", ["gpt"])).toEqual(["gpt"]);
  });

  it("puts another spelling of the same name first", () => {
    expect(similarNames("Llama", ["llama-2", "llamb", "llama"])[0]).toBe("llama");
  });

  it("names three at most, and none where nothing is near", () => {
    expect(similarNames("model-0", ["model-1", "model-2", "model-3", "model-4"])).toHaveLength(3);
    expect(similarNames("completely-different", ["llama", "mistral"])).toEqual([]);
  });

  it("compares a bounded number of names", () => {
    let handedOut = 0;
    function* names() {
      for (;;) yield `name-${handedOut++}`;
    }
    similarNames("x".repeat(1_000_000), names());
    expect(handedOut).toBeLessThan(5_000);
  });
});
