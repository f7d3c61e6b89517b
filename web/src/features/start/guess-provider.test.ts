import { describe, expect, it } from "vitest";
import { guessProvider } from "./guess-provider.ts";

const KNOWN = ["openai", "anthropic", "google"];

describe("the provider of a pasted key", () => {
  it("is told by how the key begins", () => {
    expect(guessProvider(" sk-ant-api03-x", KNOWN)).toBe("anthropic");
    expect(guessProvider("sk-proj-x", KNOWN)).toBe("openai");
    expect(guessProvider("AIzaSy", KNOWN)).toBe("google");
  });

  it("is not guessed where it is unknown", () => {
    expect(guessProvider("gsk_x", KNOWN)).toBeUndefined();
    expect(guessProvider("whatever", KNOWN)).toBeUndefined();
  });
});
