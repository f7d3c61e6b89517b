import { findDecodedTexts } from "../decode/decoded-texts.ts";
import { roundScores, type Scores, zeroScores } from "../policy/scores.ts";
import { mayHoldPrivateData } from "../private-data/find-private-data.ts";
import type { AnswerRuleIndex } from "../rules/rule-stream-detector.ts";
import { HIDDEN_SCAN_INTERVAL, HIDDEN_SCAN_OVERLAP } from "../rules/rule-stream-detector.ts";
import { CHARACTER_CLASS, characterClassesIn, STRIDE, StreamBuffer } from "../stream-buffer.ts";
import type { SafetyModel } from "./safety-model.ts";
import { IncrementalModerator } from "./stream-detectors.ts";

/** Longer answers are examined piece by piece. */
const CHARACTERS_MAX = 4096;
/** In a text with these, letters may be disguised or values escaped. */
const UNCLEAR_CLASSES = CHARACTER_CLASS.confusable | CHARACTER_CLASS.backslash;

/**
 * Scores complete answers in which the rules and the search for private data find nothing, as in most. Examines them at
 * once, and gives up where a stream detector might find something in any part of the text.
 */
export class PlainAnswerScorer {
  readonly #moderator: IncrementalModerator;
  readonly #rules: AnswerRuleIndex;

  constructor(model: SafetyModel, rules: AnswerRuleIndex) {
    this.#moderator = new IncrementalModerator(model);
    this.#rules = rules;
  }

  score(text: string): Scores | undefined {
    if (text.length > CHARACTERS_MAX) return undefined;
    const classes = characterClassesIn(text, 0, text.length);
    if ((classes & UNCLEAR_CLASSES) !== 0) return undefined;
    if (mayHoldPrivateData(text) || this.#rules.mayMatch(text, classes) || mayHideText(text)) return undefined;
    const moderator = this.#moderator;
    moderator.reset();
    moderator.add(text);
    moderator.end();
    const scores = zeroScores();
    const moderated = moderator.scores();
    scores.hate = moderated.hate;
    scores.harassment = moderated.harassment;
    scores.sexual = moderated.sexual;
    scores.sexual_minors = moderated.sexual_minors;
    scores.violence = moderated.violence;
    scores.self_harm = moderated.self_harm;
    roundScores(scores);
    return scores;
  }
}

/** Whether anything is decoded in the ranges that are searched for it in a stream. */
function mayHideText(text: string): boolean {
  if (text.length < HIDDEN_SCAN_INTERVAL) return isDisguised(text);
  const streamBuffer = new StreamBuffer();
  streamBuffer.append(text);
  let last = 0;
  for (let from = 0; from + STRIDE <= text.length; ) {
    const to = streamBuffer.strideEnd(from);
    if (to - last >= HIDDEN_SCAN_INTERVAL) {
      if (isRangeDisguised(streamBuffer, last, to)) return true;
      last = to;
    }
    from = to;
  }
  return isRangeDisguised(streamBuffer, last, text.length);
}

function isRangeDisguised(streamBuffer: StreamBuffer, last: number, to: number): boolean {
  return isDisguised(streamBuffer.slice(streamBuffer.viewStart(to, to - last + HIDDEN_SCAN_OVERLAP), to));
}

function isDisguised(text: string): boolean {
  const decodedTexts = findDecodedTexts(text);
  return decodedTexts.length > 1 || decodedTexts[0].undone.length > 0;
}
