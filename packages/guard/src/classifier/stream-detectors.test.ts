import { Fault } from "@trunkline/core/fault.ts";
import { findInStream } from "@trunkline/testing/find-in-stream.ts";
import { untrainedModel } from "@trunkline/testing/untrained-model.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createGuard } from "../policy/guard.ts";
import { OFF, policyFromPreset } from "../policy/policy.ts";
import { TextScreen } from "../screen/text-screen.ts";
import { readSafetyModel } from "./bundled-model.ts";
import { IncrementalModerator, MODERATED_CATEGORIES, ModerationStreamDetector } from "./stream-detectors.ts";
import { createTrainedDetector } from "./trained-detector.ts";

describe("ModerationStreamDetector", () => {
  const model = untrainedModel();
  const detector = createTrainedDetector(model);
  const anAnswer = fc
    .array(
      fc.oneof(
        { weight: 5, arbitrary: fc.lorem({ maxCount: 9 }) },
        { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 30 }) },
        { weight: 1, arbitrary: fc.stringMatching(/^[a-z]{40,150}$/) },
        { weight: 1, arbitrary: fc.constantFrom("\u200b".repeat(90), "\n\n", "Mail jo@firma.de.") },
      ),
      { maxLength: 12 },
    )
    .map((pieces) => pieces.join(" "));

  /** The text released, the refusal, and the maximum number of held characters. */
  function screen(answer: string, length: number, refuseAt: number) {
    const policy = policyFromPreset("balanced", {
      hate: { reportAt: 0.3, refuseAt },
      violence: { reportAt: 0.3, refuseAt },
    });
    const guard = createGuard(detector, policy);
    const output = new TextScreen(guard, guard.createStreamDetectors());
    let text = "";
    let heldMax = 0;
    let refusal: string | undefined;
    try {
      for (let at = 0; at < answer.length; at += length) {
        text += output.read(answer.slice(at, at + length));
        heldMax = Math.max(heldMax, Math.min(answer.length, at + length) - text.length);
      }
      text += output.flush();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      refusal = error.message;
    }
    return { text, heldMax, refusal, verdict: output.verdict };
  }

  describe("an answer moderated by the trained model", () => {
    it("gets the same verdict whatever the chunks, and at most a line is held back", () => {
      let refusals = 0;
      fc.assert(
        fc.property(
          anAnswer,
          fc.integer({ min: 1, max: 90 }),
          fc.double({ min: 0.35, max: 0.75, noNaN: true }),
          (answer, length, refuseAt) => {
            const whole = screen(answer, answer.length + 1, refuseAt);
            const pieces = screen(answer, length, refuseAt);
            expect(pieces.verdict).toEqual(whole.verdict);
            expect(pieces.refusal).toBe(whole.refusal);
            expect(pieces.heldMax).toBeLessThanOrEqual(64);
            expect(answer.startsWith(pieces.text)).toBe(true);
            if (whole.refusal === undefined) expect(pieces.text).toBe(answer);
            else refusals += 1;
          },
        ),
        { numRuns: 60 },
      );
      expect(refusals).toBeGreaterThan(5);
    });

    it("gets the same verdict as the complete text", () => {
      fc.assert(
        fc.property(anAnswer, (answer) => {
          const followed = createGuard(detector, OFF).applyPolicy({
            findings: findInStream(detector.createStreamDetectors(), answer, 9),
            normalised: [],
          });
          expect(detector.detect(answer, "output").scores).toEqual(followed.categories);
        }),
        { numRuns: 40 },
      );
    });

    it("scores as high as its worst window", () => {
      const answer = "Lorem ipsum dolor sit amet, consectetur adipiscing elit. ".repeat(30);
      const moderator = new IncrementalModerator(model);
      moderator.add(answer);
      moderator.end();
      const worst = findInStream([new ModerationStreamDetector(model)], answer)
        .filter(({ category }) => category === "violence")
        .reduce((most, { score }) => Math.max(most, score), 0);
      expect(worst).toBe(moderator.scores().violence);
    });
  });
});

describe("IncrementalModerator", () => {
  const model = readSafetyModel();
  const calm = "The harbour was quiet in the morning, and the boats came back with mackerel and a little cod. ";
  const cruel = "You are a worthless piece of filth, nobody wants you, go and die in a ditch, you ugly stupid whore.";

  function moderate(pieces: readonly string[]) {
    const moderator = new IncrementalModerator(model);
    for (const piece of pieces) moderator.add(piece);
    moderator.end();
    return moderator;
  }

  describe("on a growing text", () => {
    it("gives the same scores whatever the chunks", () => {
      const text = calm.repeat(8) + cruel + calm.repeat(8);
      const whole = moderate([text]);
      expect(moderate([...text]).scores()).toEqual(whole.scores());
      expect(moderate(text.match(/.{1,37}/gs) ?? []).scores()).toEqual(whole.scores());
    });

    it("finds abuse inside harmless text, and its range", () => {
      const text = calm.repeat(8) + cruel + calm.repeat(8);
      const found = moderate([text]);
      const worst = Math.max(...MODERATED_CATEGORIES.map((category) => found.scores()[category]));
      const harmless = Math.max(
        ...MODERATED_CATEGORIES.map((category) => moderate([calm.repeat(17)]).scores()[category]),
      );
      expect(worst).toBeGreaterThan(0.5);
      expect(harmless).toBeLessThan(0.5);
      const place = found.worstSpan("harassment");
      expect(place !== undefined && place.start < calm.length * 8 + cruel.length && place.end > calm.length * 8).toBe(
        true,
      );
    });

    it("has scored all but the last line while the text grows", () => {
      const moderator = new IncrementalModerator(model);
      for (const letter of calm.repeat(4)) moderator.add(letter);
      expect(calm.length * 4 - moderator.scoredTo).toBeLessThan(57);
    });

    it("keeps nothing of the last text after a reset", () => {
      const moderator = moderate([cruel]);
      moderator.reset();
      moderator.add(calm);
      moderator.end();
      const fresh = moderate([calm]);
      expect(moderator.scores()).toEqual(fresh.scores());
      for (const category of MODERATED_CATEGORIES)
        expect(moderator.worstSpan(category)).toEqual(fresh.worstSpan(category));
      expect(moderator.scoredTo).toBe(calm.length);
    });
  });
});
