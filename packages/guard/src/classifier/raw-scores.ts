import { adjustDocumentScore, adjustRequestScore, type CalibrationName, canBeScenario, classIndex } from "./classes.ts";
import { subjectShare, USUAL_SUBJECT_SHARE } from "./subject-share.ts";
import type { TextScores } from "./text-scorer.ts";

const [ATTACK_USER, ATTACK_DOCUMENT, UNSAFE, MODERATION, JAILBREAK] = [
  classIndex("attack_user"),
  classIndex("attack_document"),
  classIndex("unsafe"),
  classIndex("moderation"),
  classIndex("jailbreak"),
];

/** A lower score leads to no action, whatever the sentence is about. */
const DOUBTFUL_DOCUMENT = 0;
/** How much it counts whether the worst sentence of a document is about the document's subject. */
const SUBJECT_WEIGHT = 2;

/**
 * The raw score of a text that a calibration maps to a score. The lowest there is if the calibration does not apply to
 * such a text.
 */
export function rawScoreFor(
  calibrationName: CalibrationName,
  { section, worst, windowCount, starts, ends }: TextScores,
  text: string,
): number {
  switch (calibrationName) {
    case "attack_user":
      return adjustRequestScore(section[ATTACK_USER] ?? 0, text);
    case "attack_user_window":
      return windowCount === 0 ? Number.NEGATIVE_INFINITY : (worst[ATTACK_USER] ?? 0);
    case "jailbreak":
      return canBeScenario(text) ? (section[JAILBREAK] ?? 0) : Number.NEGATIVE_INFINITY;
    case "attack_document": {
      // An instruction in a document is a sentence or two, so the score of the whole document says little about it.
      const raw = adjustDocumentScore(worst[ATTACK_DOCUMENT] ?? 0, text);
      if (raw < DOUBTFUL_DOCUMENT) return raw;
      const share = subjectShare(text, starts[ATTACK_DOCUMENT] ?? 0, ends[ATTACK_DOCUMENT] ?? 0);
      return raw - SUBJECT_WEIGHT * (share - USUAL_SUBJECT_SHARE);
    }
    case "unsafe":
      return section[UNSAFE] ?? 0;
    case "moderation":
      return Math.max(
        section[MODERATION] ?? 0,
        windowCount === 0 ? Number.NEGATIVE_INFINITY : (worst[MODERATION] ?? 0),
      );
  }
}
