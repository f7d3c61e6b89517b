import { describe, expect, it } from "vitest";
import { readSafetyModel } from "./bundled-model.ts";
import { IncrementalModerator, MODERATED_CATEGORIES } from "./growing-text.ts";

const model = readSafetyModel();
const calm = "The harbour was quiet in the morning, and the boats came back with mackerel and a little cod. ";
const cruel =
  "You are a worthless piece of filth, nobody wants you, go and die in a ditch, you ugly stupid whore.";

function judge(pieces: readonly string[]) {
  const growing = new IncrementalModerator(model);
  for (const piece of pieces) growing.add(piece);
  growing.end();
  return growing;
}

describe("GrowingText", () => {
  it("says the same whatever pieces the text arrives in", () => {
    const text = calm.repeat(8) + cruel + calm.repeat(8);
    const whole = judge([text]);
    expect(judge([...text]).scores()).toEqual(whole.scores());
    expect(judge(text.match(/.{1,37}/gs) ?? []).scores()).toEqual(whole.scores());
  });

  it("finds what is cruel in the midst of what is not, and says where", () => {
    const text = calm.repeat(8) + cruel + calm.repeat(8);
    const found = judge([text]);
    const worst = Math.max(...MODERATED_CATEGORIES.map((category) => found.scores()[category]));
    const harmless = Math.max(
      ...MODERATED_CATEGORIES.map((category) => judge([calm.repeat(17)]).scores()[category]),
    );
    expect(worst).toBeGreaterThan(0.5);
    expect(harmless).toBeLessThan(0.5);
    const place = found.worstSpan("harassment");
    expect(
      place !== undefined && place.start < calm.length * 8 + cruel.length && place.end > calm.length * 8,
    ).toBe(true);
  });

  it("has judged all but the last line while the text grows", () => {
    const growing = new IncrementalModerator(model);
    for (const letter of calm.repeat(4)) growing.add(letter);
    expect(calm.length * 4 - growing.judged).toBeLessThan(57);
  });

  it("knows nothing of the last text once that is cleared", () => {
    const growing = judge([cruel]);
    growing.reset();
    growing.add(calm);
    growing.end();
    const fresh = judge([calm]);
    expect(growing.scores()).toEqual(fresh.scores());
    for (const category of MODERATED_CATEGORIES)
      expect(growing.worstSpan(category)).toEqual(fresh.worstSpan(category));
    expect(growing.judged).toBe(calm.length);
  });
});
