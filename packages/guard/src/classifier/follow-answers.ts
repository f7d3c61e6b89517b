import { findDecodedTexts } from "../decode/layers.ts";
import type { StreamDetection, StreamDetector } from "../detector.ts";
import { PrivateDataStreamDetector } from "../private-data/private-follower.ts";
import { ANSWER_RULES } from "../rules/answer-rules.ts";
import { HATE_RULES } from "../rules/hate-rules.ts";
import { matchAnswerRules } from "../rules/rule-detector.ts";
import { AnswerRuleIndex, RuleStreamDetector } from "../rules/rule-follower.ts";
import { IncrementalModerator, MODERATED_CATEGORIES } from "./growing-text.ts";
import { ModerationStreamDetector } from "./moderation-follower.ts";
import type { SafetyModel } from "./safety-model.ts";

/** Below this nobody acts on what is hidden. */
const HIDDEN_SCORE_MIN = 0.2;

/** Those who together read an answer while it grows: the rules, whoever looks for values, and the trained model. */
export function streamDetectorFactory(model: SafetyModel): () => readonly StreamDetector[] {
  const growing = new IncrementalModerator(model);
  const rules = new AnswerRuleIndex([...ANSWER_RULES, ...HATE_RULES], (text, isHidden) =>
    detectInStretch(growing, text, isHidden),
  );
  return () => [
    new RuleStreamDetector(rules),
    new PrivateDataStreamDetector(),
    new ModerationStreamDetector(model),
  ];
}

/** What rules find in a stretch, and what the model makes of what is hidden in it: the plain words it follows itself. */
function detectInStretch(growing: IncrementalModerator, text: string, isHidden: boolean): StreamDetection {
  const decodedTexts = findDecodedTexts(text);
  const { findings, normalised } = matchAnswerRules(decodedTexts, isHidden);
  const found = [...findings];
  const undone = new Set(normalised);
  decodedTexts.forEach((decodedText, at) => {
    if (at === 0 && decodedText.undone.length === 0) return;
    growing.reset();
    growing.add(decodedText.text);
    growing.end();
    for (const category of MODERATED_CATEGORIES) {
      const place = growing.worstSpan(category);
      const score = growing.scores()[category];
      if (place === undefined || score < HIDDEN_SCORE_MIN) continue;
      found.push({ category, score, ...decodedText.placeOf(place.start, place.end) });
      for (const disguise of decodedText.undone) undone.add(disguise);
    }
  });
  return { findings: found, normalised: [...undone] };
}
