import { Fault } from "@trunkline/core/fault.ts";
import { reading } from "@trunkline/testing/reading.ts";
import { untaughtModel } from "@trunkline/testing/untaught-model.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createGuard } from "../policy/guard.ts";
import { OFF, policyFromPreset } from "../policy/policy.ts";
import { runToEnd } from "../resumable.ts";
import { TextScreen } from "../screen/text-screen.ts";
import { readSafetyModel } from "./bundled-model.ts";
import { IncrementalModerator, MODERATED_CATEGORIES, ModerationStreamDetector } from "./stream-detectors.ts";
import { createTrainedDetector } from "./trained-detector.ts";

describe("moderation-follower", () => {
  const model = untaughtModel();
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

  /** What leaves, what ends it, and how much was held back at the most. */
  function watch(answer: string, length: number, refuseAt: number) {
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
        text += runToEnd(output.read(answer.slice(at, at + length)));
        heldMax = Math.max(heldMax, Math.min(answer.length, at + length) - text.length);
      }
      text += output.flush();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      refusal = error.message;
    }
    return { text, heldMax, refusal, verdict: output.verdict };
  }

  describe("an answer that is moderated by the trained model", () => {
    it("gets the same verdict in whatever pieces it comes, and never more than a line of it is held back", () => {
      let refusals = 0;
      fc.assert(
        fc.property(
          anAnswer,
          fc.integer({ min: 1, max: 90 }),
          fc.double({ min: 0.35, max: 0.75, noNaN: true }),
          (answer, length, refuseAt) => {
            const whole = watch(answer, answer.length + 1, refuseAt);
            const pieces = watch(answer, length, refuseAt);
            expect(pieces.verdict).toEqual(whole.verdict);
            expect(pieces.refusal).toBe(whole.refusal);
            expect(pieces.heldMax).toBeLessThanOrEqual(64);
            expect(answer.startsWith(pieces.text)).toBe(true);
            if (whole.refusal === undefined) expect(pieces.text).toBe(answer);
            else refusals += 1;
          },
        ),
        { numRuns: 200 },
      );
      expect(refusals).toBeGreaterThan(20);
    });

    it("gets the verdict that the check gives the same words", () => {
      fc.assert(
        fc.property(anAnswer, (answer) => {
          const followed = createGuard(detector, OFF).applyPolicy({
            findings: reading(detector.createStreamDetectors(), answer, 9),
            normalised: [],
          });
          expect(detector.detect(answer, "output").scores).toEqual(followed.categories);
        }),
        { numRuns: 100 },
      );
    });

    it("is weighed once a character, and as bad as its worst window", () => {
      const answer = "Lorem ipsum dolor sit amet, consectetur adipiscing elit. ".repeat(30);
      const growing = new IncrementalModerator(model);
      growing.add(answer);
      growing.end();
      const worst = reading([new ModerationStreamDetector(model)], answer)
        .filter(({ category }) => category === "violence")
        .reduce((most, { score }) => Math.max(most, score), 0);
      expect(worst).toBe(growing.scores().violence);
    });
  });
});

describe("growing-text", () => {
  const model = readSafetyModel();
  const calm = "The harbour was quiet in the morning, and the boats came back with mackerel and a little cod. ";
  const cruel = "You are a worthless piece of filth, nobody wants you, go and die in a ditch, you ugly stupid whore.";

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
      const harmless = Math.max(...MODERATED_CATEGORIES.map((category) => judge([calm.repeat(17)]).scores()[category]));
      expect(worst).toBeGreaterThan(0.5);
      expect(harmless).toBeLessThan(0.5);
      const place = found.worstSpan("harassment");
      expect(place !== undefined && place.start < calm.length * 8 + cruel.length && place.end > calm.length * 8).toBe(
        true,
      );
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
});
