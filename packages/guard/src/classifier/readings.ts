import type { Channel } from "@trunkline/core/verdict.ts";
import { type DecodedText, findDecodedTextsResumable } from "../decode/layers.ts";
import { RESUMABLE_MIN_CHARACTERS, type Resumable, runToEnd } from "../resumable.ts";
import type { RuleMatch } from "../rules/rule-book.ts";
import { RULE_MATCHERS } from "../rules/rule-sets.ts";

/** What a mention of an attack is worth beside a use of it. */
const MENTION_WEIGHT = 0.4;

/** One way to read a text, ready to be weighed. */
export interface MatchedText {
  /** What is scanned: the text as it was given where nothing was hidden in it, as capitals say something too. */
  readonly text: string;
  readonly decodedText: DecodedText;
  readonly isOriginal: boolean;
  /** What the rules found, and where in the scanned text it begins. */
  readonly matches: readonly RuleMatch[];
  readonly starts: readonly number[];
}

export function decodeAndMatch(original: string, channel: Channel): MatchedText[] {
  return runToEnd(decodeAndMatchResumable(original, channel));
}

/** The same, step by step. */
export function* decodeAndMatchResumable(original: string, channel: Channel): Resumable<MatchedText[]> {
  const decodedTexts = yield* findDecodedTextsResumable(original);
  const [plain] = decodedTexts;
  const matchedTexts: MatchedText[] = [];
  for (const decodedText of decodedTexts) {
    if (decodedText.text.length >= RESUMABLE_MIN_CHARACTERS) yield;
    const isOriginal = decodedText === plain && decodedText.undone.length === 0;
    const ruleMatches = RULE_MATCHERS[channel].find(decodedText.text);
    const starts = ruleMatches.map(({ start, end }) =>
      isOriginal ? decodedText.placeOf(start, end).start : start,
    );
    matchedTexts.push({
      text: isOriginal ? original : decodedText.text,
      decodedText,
      isOriginal,
      matches: ruleMatches,
      starts,
    });
  }
  return matchedTexts;
}

/** What is mostly the encoding of a later layer is not weighed: how it looks is no sign of anything. Rules read it all the same. */
export function isScorable({ decodedText }: MatchedText): boolean {
  return !decodedText.isSuperseded;
}

export function matchWeight(ruleMatch: RuleMatch): number {
  return ruleMatch.mention ? MENTION_WEIGHT : 1;
}
