import { describe, expect, it } from "vitest";
import { splitKnownParameters } from "./lift-known.ts";

describe("liftKnown", () => {
  it("knows what every provider has a word for", () => {
    expect(
      splitKnownParameters({
        top_p: 0.5,
        top_k: 40,
        stop: "END",
        seed: -3,
        frequency_penalty: 0.1,
        presence_penalty: 0.2,
        reasoning_effort: "low",
        house_word: true,
      }),
    ).toEqual({
      topP: 0.5,
      topK: 40,
      stop: ["END"],
      seed: -3,
      frequencyPenalty: 0.1,
      presencePenalty: 0.2,
      thinking: { effort: "low" },
      others: { house_word: true },
    });
  });

  it("leaves to the provider what makes no sense under its name", () => {
    const odd = { top_p: "much", top_k: 0, stop: 3, seed: 0.5, reasoning_effort: "huge" };
    expect(splitKnownParameters(odd)).toEqual({ others: odd });
  });
});
