import { createSeededRandom } from "@trunkline/core/random.ts";
import { describe, expect, it } from "vitest";
import { moodOf } from "./mood.ts";

const mood = (words: string) => moodOf(words, createSeededRandom(words));

describe("what words ask a picture to be", () => {
  it.each([
    ["sunset over the ocean", { scene: "ocean", hour: "sunset" }],
    ["A FOREST at Dawn!", { scene: "forest", hour: "dawn" }],
    ["snowy mountains", { scene: "mountains", weather: "snow" }],
    ["the city by the sea", { scene: "city" }],
    ["a mountain lake", { scene: "lake" }],
    ["thunderstorm in the desert at night", { scene: "desert", weather: "storm", hour: "night" }],
    ["galaxies", { scene: "space", hour: "night" }],
    ["a purple dream", { scene: "waves", hue: 305 }],
  ])("%j", (words, expected) => {
    expect(mood(words)).toMatchObject(expected);
  });

  it("includes the small things they name", () => {
    expect([...mood("a sailboat, birds and a rainbow under the stars").extras].sort()).toEqual([
      "birds",
      "boat",
      "rainbow",
      "stars",
    ]);
  });

  it("is not led by a word inside another", () => {
    expect(mood("thousand starts")).toMatchObject({ extras: new Set() });
  });

  it("differs between words that steer nothing", () => {
    const scenes = new Set(
      ["cat", "dog", "spoon", "queen", "letter", "bicycle", "tea"].map((word) => mood(word).scene),
    );
    expect(scenes.size).toBeGreaterThan(2);
  });
});
