import type { Channel } from "@trunkline/core/verdict.ts";
import { type DecodedText, findDecodedTexts, OrdinaryText } from "../decode/decoded-texts.ts";
import type { RuleMatch } from "../rules/rule-matcher.ts";
import { RULE_MATCHERS } from "../rules/rule-sets.ts";
import { CLASSES, classIndex } from "./classes.ts";
import { BLOCK_COUNTS, type RuleHit } from "./dense-features.ts";
import { FeatureScanner } from "./feature-scanner.ts";
import { blankRepetitions } from "./repetitions.ts";
import type { SafetyModel } from "./safety-model.ts";
import { SlidingWindow } from "./sliding-window.ts";

/** The weight of a rule match that only mentions an attack, compared to one that makes it. */
const MENTION_WEIGHT = 0.4;

/** One decoded form of a text, ready to be scored. */
export interface MatchedText {
  /** The text to scan: the original if nothing was decoded, as capitals are evidence too. Repetitions are blanked. */
  readonly text: string;
  readonly decodedText: DecodedText;
  readonly isOriginal: boolean;
  /** The rule matches, and where each begins in the scanned text. */
  readonly matches: readonly RuleMatch[];
  readonly starts: readonly number[];
}

export function decodeAndMatch(original: string, channel: Channel): MatchedText[] {
  const decodedTexts = findDecodedTexts(original);
  const [plain] = decodedTexts;
  const matched = matchText(plain, plain.undone.length === 0 ? original : undefined, channel);
  if (decodedTexts.length === 1) return [matched];
  return [matched, ...decodedTexts.slice(1).map((decodedText) => matchText(decodedText, undefined, channel))];
}

/** `original`: the text itself, where nothing in it was decoded. */
function matchText(decodedText: DecodedText, original: string | undefined, channel: Channel): MatchedText {
  const matcher = RULE_MATCHERS[channel];
  const isOriginal = original !== undefined;
  const matches =
    isOriginal && decodedText instanceof OrdinaryText
      ? matcher.findInAnyCase(original)
      : matcher.find(decodedText.text);
  const starts =
    matches.length === 0
      ? NO_STARTS
      : matches.map(({ start, end }) => (isOriginal ? decodedText.placeOf(start, end).start : start));
  return { text: blankRepetitions(original ?? decodedText.text), decodedText, isOriginal, matches, starts };
}

const NO_STARTS: readonly number[] = [];

/**
 * Text that is mostly an encoding of another decoded text is not scored, as its look is no evidence. Rules still read
 * it.
 */
export function isScorable({ decodedText }: MatchedText): boolean {
  return !decodedText.isSuperseded;
}

export function matchWeight(ruleMatch: RuleMatch): number {
  return ruleMatch.mention ? MENTION_WEIGHT : 1;
}

/** The part of a MatchedText that is scored. */
export type ScorableText = Pick<MatchedText, "text" | "matches" | "starts">;

/** How the texts of a channel are scored. */
interface WindowSettings {
  readonly windowCharacters: number;
  /** The number of blocks between two scored windows. */
  readonly strideBlocks: number;
  /** The classes that are scored for each window. */
  readonly classes: readonly number[];
  /** Whether sentences are scored too, and combined with the worst window. */
  readonly scoresSentences: boolean;
}

const [ATTACK_USER, ATTACK_DOCUMENT, UNSAFE, MODERATION, JAILBREAK] = [
  classIndex("attack_user"),
  classIndex("attack_document"),
  classIndex("unsafe"),
  classIndex("moderation"),
  classIndex("jailbreak"),
];

/**
 * A longer text is scored by sections of this many blocks, about 700 characters, that overlap by half: the score of a
 * whole text would depend on its length.
 */
export const SECTION_BLOCKS = 16;
export const SECTION_STRIDE_BLOCKS = SECTION_BLOCKS / 2;
const SECTION_CLASSES: readonly number[] = [ATTACK_USER, JAILBREAK, UNSAFE, MODERATION];

/** The channels that the model scores. The words of an application are scored as a user's. */
export type ScoredChannel = Exclude<Channel, "application">;

export const WINDOW_SETTINGS: Readonly<Record<ScoredChannel, WindowSettings>> = {
  user: {
    windowCharacters: 170,
    strideBlocks: 2,
    classes: [ATTACK_USER, MODERATION],
    scoresSentences: false,
  },
  document: { windowCharacters: 170, strideBlocks: 1, classes: [ATTACK_DOCUMENT], scoresSentences: true },
  output: { windowCharacters: 400, strideBlocks: 1, classes: [MODERATION], scoresSentences: false },
};

/** A longer sentence is split in two; a shorter one does not count. */
export const SENTENCE_CHARACTERS_MAX = 170;
export const SENTENCE_CHARACTERS_MIN = 20;
/** The weight, out of two, of the text around the worst sentence; the sentence has the rest. */
const SURROUNDINGS_SHARE = 0.67;

/**
 * The raw scores of a text by class: of the whole text, of its worst section, and of its worst window if it is longer
 * than one. Where sentences are scored, `worst` combines the worst window (or the whole text) with the worst sentence,
 * whose range is reported.
 */
export interface TextScores {
  readonly whole: Float64Array;
  readonly section: Float64Array;
  readonly worst: Float64Array;
  /**
   * The range of the worst window, sentence or section by class, as offsets into the scanned text; the whole text if it
   * has only one.
   */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  windowCount: number;
  length: number;
}

/**
 * Scores a text in one pass, block by block and window by window, and then the whole text. The returned object is
 * reused for the next text.
 */
export class TextScorer {
  readonly #model: SafetyModel;
  readonly #windowSettings: WindowSettings;
  readonly #window: SlidingWindow;
  readonly #scanner: FeatureScanner;
  readonly #hits: RuleHit[] = [];
  #scorable: ScorableText | undefined;
  #blocksSinceScore = 0;
  readonly #worstSentence = new Float64Array(CLASSES.length);
  /** The first block of the current sentence, and its offset in the text. */
  #sentenceFrom = 0;
  #sentenceStart = 0;
  readonly #textScores: TextScores = {
    whole: new Float64Array(CLASSES.length),
    section: new Float64Array(CLASSES.length),
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
      (features, size, counts, end, summedFeatures) => {
        this.#collectRuleHits(end, this.#window.endBlock);
        // Score the first window before it loses its first block: attacks often come first.
        if (!this.#window.isFull && this.#window.wouldEvict(counts)) this.#scoreWindow();
        this.#window.push(model.table, features, size, counts, end, summedFeatures);
        this.#textScores.length = end;
        if (this.#window.endBlock % SECTION_STRIDE_BLOCKS === 0) {
          if (this.#window.endBlock >= SECTION_BLOCKS) this.#scoreSection();
          this.#window.startSectionHalf();
        }
        if (
          windowSettings.scoresSentences &&
          (counts[BLOCK_COUNTS.sentenceEnds] === 1 || this.#window.sentenceCharacters >= SENTENCE_CHARACTERS_MAX)
        )
          this.#scoreSentence();
        if (this.#window.isFull && ++this.#blocksSinceScore >= windowSettings.strideBlocks) this.#scoreWindow();
      },
      windowSettings.scoresSentences,
      model.wordSums,
    );
  }

  score(scorable: ScorableText): TextScores {
    const textScores = this.#textScores;
    this.#scorable = scorable;
    this.#hits.length = 0;
    this.#blocksSinceScore = 0;
    this.#window.clear();
    textScores.length = 0;
    this.#startSentence();
    this.#worstSentence.fill(Number.NEGATIVE_INFINITY);
    textScores.windowCount = 0;
    textScores.section.fill(Number.NEGATIVE_INFINITY);
    textScores.worst.fill(Number.NEGATIVE_INFINITY);
    textScores.starts.fill(0);
    textScores.ends.fill(0);
    this.#scanner.reset();
    this.#scanner.read(scorable.text);
    this.#scanner.finish();
    if (this.#window.isFull && this.#blocksSinceScore > 0) this.#scoreWindow();
    if (this.#window.endBlock > SECTION_BLOCKS && this.#window.endBlock % SECTION_STRIDE_BLOCKS > 0)
      this.#scoreSection();
    this.#model.prepare(this.#window.whole(), this.#hits, 0, this.#window.endBlock);
    for (let classId = 0; classId < CLASSES.length; classId++)
      textScores.whole[classId] = this.#model.rawScore(classId);
    if (this.#window.endBlock < SECTION_BLOCKS)
      for (const classId of SECTION_CLASSES) textScores.section[classId] = textScores.whole[classId] ?? 0;
    if (this.#windowSettings.scoresSentences) this.#combineWithSentences();
    for (let classId = 0; classId < CLASSES.length; classId++)
      if (textScores.ends[classId] === 0) textScores.ends[classId] = textScores.length;
    return textScores;
  }

  #combineWithSentences(): void {
    this.#scoreSentence();
    const { whole, worst, windowCount } = this.#textScores;
    for (const classId of this.#windowSettings.classes) {
      const around = (windowCount > 0 ? worst : whole)[classId] ?? 0;
      const alone = this.#worstSentence[classId] ?? 0;
      worst[classId] =
        SURROUNDINGS_SHARE * around + (2 - SURROUNDINGS_SHARE) * (alone === Number.NEGATIVE_INFINITY ? around : alone);
    }
  }

  /** Assigns the rule matches up to `end` to this block. */
  #collectRuleHits(end: number, block: number): void {
    const scorable = this.#scorable;
    if (scorable === undefined || scorable.matches.length === 0) return;
    for (const [at, ruleMatch] of scorable.matches.entries()) {
      const start = scorable.starts[at] ?? 0;
      if (start >= this.#textScores.length && start < end)
        this.#hits.push({
          rule: this.#model.ruleAt(ruleMatch.rule.name),
          weight: matchWeight(ruleMatch),
          block,
        });
    }
  }

  #startSentence(): void {
    if (this.#windowSettings.scoresSentences) this.#window.startSentence();
    this.#sentenceFrom = this.#window.endBlock;
    this.#sentenceStart = this.#textScores.length;
  }

  #scoreSentence(): void {
    const { starts, ends, length } = this.#textScores;
    if (this.#window.sentenceCharacters >= SENTENCE_CHARACTERS_MIN) {
      this.#model.prepare(this.#window.sentence(), this.#hits, this.#sentenceFrom, this.#window.endBlock);
      for (const classId of this.#windowSettings.classes) {
        const raw = this.#model.rawScore(classId);
        if (raw <= (this.#worstSentence[classId] ?? 0)) continue;
        this.#worstSentence[classId] = raw;
        starts[classId] = this.#sentenceStart;
        ends[classId] = length;
      }
    }
    this.#startSentence();
  }

  #scoreSection(): void {
    const { section, starts, ends, length } = this.#textScores;
    const to = this.#window.endBlock;
    const from = SECTION_STRIDE_BLOCKS * (Math.ceil(to / SECTION_STRIDE_BLOCKS) - 2);
    this.#model.prepare(this.#window.section(), this.#hits, from, to);
    for (const classId of SECTION_CLASSES) {
      const raw = this.#model.rawScore(classId);
      if (raw <= (section[classId] ?? 0)) continue;
      section[classId] = raw;
      if (this.#windowSettings.classes.includes(classId)) continue;
      starts[classId] = this.#window.sectionStart;
      ends[classId] = length;
    }
  }

  #scoreWindow(): void {
    const { worst, starts, ends } = this.#textScores;
    this.#blocksSinceScore = 0;
    this.#textScores.windowCount++;
    const { firstBlock: from, endBlock: to, start, end } = this.#window;
    this.#model.prepare(this.#window.passage(), this.#hits, from, to);
    for (const classId of this.#windowSettings.classes) {
      const raw = this.#model.rawScore(classId);
      if (raw <= (worst[classId] ?? 0)) continue;
      worst[classId] = raw;
      if (this.#windowSettings.scoresSentences) continue;
      starts[classId] = start;
      ends[classId] = end;
    }
  }
}
