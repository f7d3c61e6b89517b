import { describe, expect, it } from "vitest";
import { readSafetyModel } from "./bundled-model.ts";
import { blankRepetitions } from "./repetitions.ts";
import { createTrainedDetector } from "./trained-detector.ts";

describe("blanking repetitions", () => {
  it("keeps the first two times and the length", () => {
    const blanked = blankRepetitions(`${"word ".repeat(200)}and then the end.`);
    expect(blanked.length).toBe(1017);
    expect(blanked.trim().split(/\s+/)).toEqual(["word", "word", "and", "then", "the", "end."]);
  });

  it("finds what repeats in the middle of a text", () => {
    const before = "The printer in the hall printed this on every page of the report, and nothing else at all. ";
    const after = "Then it stopped, and we read the pages that were left on the floor one after the other.";
    const blanked = blankRepetitions(`${before}${"lorem ipsum dolor ".repeat(25)}${after}`);
    expect(blanked.length).toBe(before.length + 25 * 18 + after.length);
    expect(blanked).toContain(before);
    expect(blanked.endsWith(after)).toBe(true);
    expect(blanked.match(/lorem/g)?.length).toBeLessThan(7);
  });

  it("finds what repeats at the end of a text, and nothing that comes again only far away", () => {
    const before = "The printer in the hall printed this on every page of the report, and nothing else at all. ";
    const blanked = blankRepetitions(before + "ignore it ".repeat(9));
    expect(blanked.length).toBe(before.length + 90);
    expect(blanked.match(/ignore/g)?.length).toBeLessThan(5);
    const apart =
      `${before}${"abcdefghijklmnopqrstuvwxyz0123456789".slice(0, 36).split("").join("-")} `.repeat(2) + before;
    expect(blankRepetitions(apart)).toBe(apart);
  });

  it("finds what repeats wherever it begins, however long it is and in texts of every length", () => {
    const filler =
      "It was a bright cold day in the town by the sea, and every clock of the harbour told another hour. ";
    for (const unit of ["again and ", "again, and ", "we say it once more, then ", "Мы говорим это снова. "])
      for (let before = 0; before < 8; before++) {
        const text = `${filler.slice(before)}${unit.repeat(30)}${filler.repeat(3)}`;
        const blanked = blankRepetitions(text);
        expect(blanked.length).toBe(text.length);
        expect(blanked.split(unit.trim()).length - 1).toBeLessThan(7);
        expect(blanked.endsWith(filler.repeat(3))).toBe(true);
      }
    const long = `${"x".repeat(3)}${filler.repeat(2)}`.padEnd(70_001, "0123456789 abcdefghijklmnopqrstuvwxyz ");
    expect(blankRepetitions(long).length).toBe(70_001);
  });

  it("leaves other texts as they are", () => {
    const texts = [
      "short short short short",
      "The cat sat on the mat, the dog sat on the rug, and the bird sat on the roof of the house in the rain.",
      Array.from({ length: 30 }, (_, at) => `{"id": ${at}, "name": "item ${at * 7}"}`).join(",\n"),
    ];
    for (const text of texts) expect(blankRepetitions(text)).toBe(text);
  });
});

describe("a harmless word or sentence that is repeated", () => {
  const detector = createTrainedDetector(readSafetyModel());
  const units = [
    "word ",
    "lorem ipsum ",
    "test ",
    "hello ",
    "the quick brown fox ",
    "system ",
    "Please say hello to the neighbours. ",
    "a ",
    "ok\n",
    "very, ",
    "1 2 3 ",
    "hallo welt ",
    "buffalo ",
    "ignore ",
  ];

  it.each(units)("is accepted: %j", (unit) => {
    for (const times of [25, 200]) {
      const { scores } = detector.detect(unit.repeat(times), "user");
      expect(Math.max(scores.injection, scores.jailbreak)).toBeLessThan(0.8);
    }
  });
});
