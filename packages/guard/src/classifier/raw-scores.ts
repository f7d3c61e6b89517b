import { adjustDocumentScore, adjustRequestScore, type CalibrationName, canBeScenario, classIndex } from "./classes.ts";
import type { TextScores } from "./text-scorer.ts";

const [ATTACK_USER, ATTACK_DOCUMENT, UNSAFE, MODERATION, JAILBREAK] = [
  classIndex("attack_user"),
  classIndex("attack_document"),
  classIndex("unsafe"),
  classIndex("moderation"),
  classIndex("jailbreak"),
];

/**
 * The raw score of a text that a calibration maps to a score. The lowest there is if the calibration does not apply to
 * such a text.
 */
export function rawScoreFor(
  calibrationName: CalibrationName,
  { section, worst, windowCount }: TextScores,
  text: string,
): number {
  switch (calibrationName) {
    case "attack_user":
      return adjustRequestScore(section[ATTACK_USER] ?? 0, text);
    case "attack_user_window":
      return windowCount === 0 ? Number.NEGATIVE_INFINITY : (worst[ATTACK_USER] ?? 0);
    case "jailbreak":
      return canBeScenario(text) ? (section[JAILBREAK] ?? 0) : Number.NEGATIVE_INFINITY;
    case "attack_document":
      // An instruction in a document is a sentence or two, so the score of the whole document says little about it.
      return adjustDocumentScore(worst[ATTACK_DOCUMENT] ?? 0, text);
    case "unsafe":
      return section[UNSAFE] ?? 0;
    case "moderation":
      return Math.max(
        section[MODERATION] ?? 0,
        windowCount === 0 ? Number.NEGATIVE_INFINITY : (worst[MODERATION] ?? 0),
      );
  }
}
