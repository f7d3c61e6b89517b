import type { Channel } from "@trunkline/core/verdict.ts";
import { type DecodedText, findDecodedTextsResumable } from "../decode/decoded-texts.ts";
import { RESUMABLE_MIN_CHARACTERS, type Resumable, runToEnd } from "../resumable.ts";
import type { RuleMatch } from "../rules/rule-matcher.ts";
import { RULE_MATCHERS } from "../rules/rule-sets.ts";
import { CLASSES, classIndex } from "./classes.ts";
import { BLOCK_COUNTS, type RuleHit } from "./dense-features.ts";
import { FeatureScanner } from "./feature-scanner.ts";
import type { SafetyModel } from "./safety-model.ts";
import { Passage, SlidingWindow } from "./sliding-window.ts";

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
    const starts = ruleMatches.map(({ start, end }) => (isOriginal ? decodedText.placeOf(start, end).start : start));
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

/** What is weighed of a reading. */
export type ScorableText = Pick<MatchedText, "text" | "matches" | "starts">;

/** How a channel's texts are gone through. */
interface WindowSettings {
  /** Characters of a window. */
  readonly windowCharacters: number;
  /** After how many blocks it is looked at again. */
  readonly strideBlocks: number;
  /** The heads that are asked about each window. */
  readonly classes: readonly number[];
  /** Whether they are asked about each sentence as well, which counts beside the worst window. */
  readonly scoresSentences: boolean;
}

const [ATTACK_USER, ATTACK_DOCUMENT, UNSAFE, MODERATION] = [
  classIndex("attack_user"),
  classIndex("attack_document"),
  classIndex("unsafe"),
  classIndex("moderation"),
];

export const WINDOW_SETTINGS: Readonly<Record<Channel, WindowSettings>> = {
  user: {
    windowCharacters: 170,
    strideBlocks: 2,
    classes: [ATTACK_USER, UNSAFE, MODERATION],
    scoresSentences: false,
  },
  document: { windowCharacters: 170, strideBlocks: 1, classes: [ATTACK_DOCUMENT], scoresSentences: true },
  output: { windowCharacters: 400, strideBlocks: 1, classes: [MODERATION], scoresSentences: false },
};

/** A sentence that is longer than this counts as two; one that is shorter is none. */
export const SENTENCE_CHARACTERS_MAX = 170;
export const SENTENCE_CHARACTERS_MIN = 20;
/** So much of two counts what stands around the worst sentence; the rest is its own. */
const SURROUNDINGS_SHARE = 0.67;

/**
 * What the model makes of a text, head by head: of all of it, and of the worst window where it is longer than one. Where
 * sentences are asked about, of the worst window or of all of it together with the worst sentence, whose place is named.
 */
export interface TextScores {
  readonly whole: Float64Array;
  readonly worst: Float64Array;
  /** Where the worst window or sentence of each head that is asked stands in the scanned text: all of it where there is but one. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  windowCount: number;
  length: number;
}

/** Goes through a text once: block by block, window by window, and then looks at all of it. What it gives back is its own and changes with the next text. */
export class TextScorer {
  readonly #model: SafetyModel;
  readonly #windowSettings: WindowSettings;
  readonly #window: SlidingWindow;
  readonly #whole = new Passage();
  readonly #scanner: FeatureScanner;
  readonly #hits: RuleHit[] = [];
  #reading: ScorableText | undefined;
  #blocksSinceScore = 0;
  readonly #sentence = new Passage();
  readonly #worstSentence = new Float64Array(CLASSES.length);
  /** The first block of the sentence, and where in the text that begins. */
  #sentenceFrom = 0;
  #sentenceStart = 0;
  readonly #textScores: TextScores = {
    whole: new Float64Array(CLASSES.length),
    worst: new Float64Array(CLASSES.length),
    starts: new Int32Array(CLASSES.length),
    ends: new Int32Array(CLASSES.length),
    windowCount: 0,
    length: 0,
  };

  constructor(model: SafetyModel, windowSettings: WindowSettings) {
    this.#model = model;
    this.#windowSettings = windowSettings;
    this.#window = new SlidingWindow(windowSettings.windowCharacters);
    this.#scanner = new FeatureScanner(
      model.weights,
      (marks, size, counts, end) => {
        this.#collectRuleHits(end, this.#window.endBlock);
        // The first window is looked at before the block that pushes its first one out: attacks like to come first.
        if (!this.#window.isFull && this.#window.wouldEvict(counts)) this.#scoreWindow();
        const sentence = windowSettings.scoresSentences ? this.#sentence : undefined;
        this.#window.push(model.table, marks, size, counts, end, this.#whole, sentence);
        this.#textScores.length = end;
        if (
          windowSettings.scoresSentences &&
          (counts[BLOCK_COUNTS.sentenceEnds] === 1 || this.#sentence.characters >= SENTENCE_CHARACTERS_MAX)
        )
          this.#scoreSentence();
        if (this.#window.isFull && ++this.#blocksSinceScore >= windowSettings.strideBlocks) this.#scoreWindow();
      },
      windowSettings.scoresSentences,
    );
  }

  score(reading: ScorableText): TextScores {
    const textScores = this.#textScores;
    this.#reading = reading;
    this.#hits.length = 0;
    this.#blocksSinceScore = 0;
    this.#window.clear();
    this.#whole.clear();
    textScores.length = 0;
    this.#startSentence();
    this.#worstSentence.fill(Number.NEGATIVE_INFINITY);
    textScores.windowCount = 0;
    textScores.worst.fill(Number.NEGATIVE_INFINITY);
    textScores.starts.fill(0);
    textScores.ends.fill(0);
    this.#scanner.reset();
    this.#scanner.read(reading.text);
    this.#scanner.finish();
    if (this.#window.isFull && this.#blocksSinceScore > 0) this.#scoreWindow();
    this.#model.prepare(this.#whole, this.#hits, 0, this.#window.endBlock);
    for (let head = 0; head < CLASSES.length; head++) textScores.whole[head] = this.#model.rawScore(head);
    if (this.#windowSettings.scoresSentences) this.#combineWithSentences();
    for (const head of this.#windowSettings.classes)
      if (textScores.ends[head] === 0) textScores.ends[head] = textScores.length;
    return textScores;
  }

  #combineWithSentences(): void {
    this.#scoreSentence();
    const { whole, worst, windowCount: windows } = this.#textScores;
    for (const head of this.#windowSettings.classes) {
      const around = (windows > 0 ? worst : whole)[head] ?? 0;
      const alone = this.#worstSentence[head] ?? 0;
      worst[head] =
        SURROUNDINGS_SHARE * around + (2 - SURROUNDINGS_SHARE) * (alone === Number.NEGATIVE_INFINITY ? around : alone);
    }
  }

  /** The rules' finds up to here belong to the blocks up to this one. */
  #collectRuleHits(end: number, block: number): void {
    const { matches: ruleMatches, starts } = this.#reading ?? { matches: [], starts: [] };
    ruleMatches.forEach((ruleMatch, at) => {
      const start = starts[at] ?? 0;
      if (start >= this.#textScores.length && start < end)
        this.#hits.push({
          rule: this.#model.ruleAt(ruleMatch.rule.name),
          weight: matchWeight(ruleMatch),
          block,
        });
    });
  }

  #startSentence(): void {
    this.#sentence.clear();
    this.#sentenceFrom = this.#window.endBlock;
    this.#sentenceStart = this.#textScores.length;
  }

  #scoreSentence(): void {
    const { starts, ends, length } = this.#textScores;
    if (this.#sentence.characters >= SENTENCE_CHARACTERS_MIN) {
      this.#model.prepare(this.#sentence, this.#hits, this.#sentenceFrom, this.#window.endBlock);
      for (const head of this.#windowSettings.classes) {
        const raw = this.#model.rawScore(head);
        if (raw <= (this.#worstSentence[head] ?? 0)) continue;
        this.#worstSentence[head] = raw;
        starts[head] = this.#sentenceStart;
        ends[head] = length;
      }
    }
    this.#startSentence();
  }

  #scoreWindow(): void {
    const { worst, starts, ends } = this.#textScores;
    this.#blocksSinceScore = 0;
    this.#textScores.windowCount++;
    const { passage, firstBlock: from, endBlock: to, start, end } = this.#window;
    this.#model.prepare(passage, this.#hits, from, to);
    for (const head of this.#windowSettings.classes) {
      const raw = this.#model.rawScore(head);
      if (raw <= (worst[head] ?? 0)) continue;
      worst[head] = raw;
      if (this.#windowSettings.scoresSentences) continue;
      starts[head] = start;
      ends[head] = end;
    }
  }
}
