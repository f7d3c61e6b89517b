import { layersOf } from "../decode/layers.ts";
import type { Follower, News } from "../detector.ts";
import { PrivateFollower } from "../private-data/private-follower.ts";
import { ANSWER_RULES } from "../rules/answer-rules.ts";
import { HATE_RULES } from "../rules/hate-rules.ts";
import { findInAnswer } from "../rules/rule-detector.ts";
import { AnswerRules, RuleFollower } from "../rules/rule-follower.ts";
import { GrowingText, MODERATED } from "./growing-text.ts";
import { ModerationFollower } from "./moderation-follower.ts";
import type { SafetyModel } from "./safety-model.ts";

/** Below this nobody acts on what is hidden. */
const NOTABLE = 0.2;

/** Those who together read an answer while it grows: the rules, whoever looks for values, and the trained model. */
export function answerFollowers(model: SafetyModel): () => readonly Follower[] {
  const growing = new GrowingText(model);
  const rules = new AnswerRules([...ANSWER_RULES, ...HATE_RULES], (text, isHidden) =>
    find(growing, text, isHidden),
  );
  return () => [new RuleFollower(rules), new PrivateFollower(), new ModerationFollower(model)];
}

/** What rules find in a stretch, and what the model makes of what is hidden in it: the plain words it follows itself. */
function find(growing: GrowingText, text: string, isHidden: boolean): News {
  const layers = layersOf(text);
  const { findings, normalised } = findInAnswer(layers, isHidden);
  const found = [...findings];
  const undone = new Set(normalised);
  layers.forEach((layer, at) => {
    if (at === 0 && layer.undone.length === 0) return;
    growing.clear();
    growing.add(layer.text);
    growing.end();
    for (const category of MODERATED) {
      const place = growing.placeOf(category);
      const score = growing.scores()[category];
      if (place === undefined || score < NOTABLE) continue;
      found.push({ category, score, ...layer.placeOf(place.start, place.end) });
      for (const disguise of layer.undone) undone.add(disguise);
    }
  });
  return { findings: found, normalised: [...undone] };
}
