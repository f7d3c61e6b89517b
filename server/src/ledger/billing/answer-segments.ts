import { appendText } from "@trunkline/core/append-text.ts";
import { countTokens } from "@trunkline/core/count-tokens.ts";
import type { Parameters } from "@trunkline/core/inference.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type { Part, SegmentOutcome } from "@trunkline/core/parts.ts";
import { fastPriceOf } from "@trunkline/core/price.ts";
import type { Candidate } from "@trunkline/core/route.ts";
import { NONE, withAdded } from "@trunkline/core/small-list.ts";
import { NO_USAGE, type ReportedUsage, type Usage } from "@trunkline/core/usage.ts";
import { type AudioSource, acceptAudio, acceptUsage, addAudio, NO_GENERATED_AUDIO } from "./accept-usage.ts";

/** What is charged for the work of one model. */
interface UsageCharge extends Usage {
  readonly source: "provider" | "own" | "none";
  readonly audioSource: AudioSource | undefined;
  readonly cost: NanoCredits;
}

/** The limits that a client set on an answer. */
export type OutputLimits = Partial<Pick<Parameters, "maxTokens" | "choices">>;

/** What one model produced of an answer, before moderation. Most answers have one segment. Its model sets the price. */
class AnswerSegment {
  readonly candidate: Candidate;
  readonly #limits: OutputLimits;
  #text = "";
  #images = 0;
  #audio = NO_GENERATED_AUDIO;
  #hasOutput = false;
  #hasMedia = false;
  #spokenTokens = 0;
  #reported: ReportedUsage | undefined;

  constructor(candidate: Candidate, limits: OutputLimits) {
    this.candidate = candidate;
    this.#limits = limits;
  }

  meter(part: Part): void {
    if (part.type === "usage") this.#reported = part;
    if (part.type === "text" || part.type === "thinking") this.#text = appendText(this.#text, part.text);
    if (part.type === "tool-call") this.#text = appendText(this.#text, part.arguments);
    if (part.type === "media" && part.kind === "image") this.#images++;
    if (part.type === "media" && part.kind === "audio") this.#audio = addAudio(this.#audio, part.url);
    if (part.type === "media" || part.type === "embedding") this.#hasMedia = true;
    if (isOutput(part)) this.#hasOutput = true;
  }

  /** Counts speech that is passed on as it comes, in tokens by its length. */
  meterSpeech(tokens: number): void {
    this.#spokenTokens += tokens;
    this.#hasOutput = true;
  }

  get hasSpeech(): boolean {
    return this.#spokenTokens > 0;
  }

  /** Text, reasoning and tool arguments, in the order of arrival. */
  get text(): string {
    return this.#text;
  }

  /** A segment without output costs nothing. */
  get hasOutput(): boolean {
    return this.#hasOutput;
  }

  get hasMedia(): boolean {
    return this.#hasMedia;
  }

  /** The charge for all output, by the provider's count where it is plausible. */
  chargeForAll(outcome: SegmentOutcome): SegmentCharge {
    return this.#chargeFor(this.#text, this.#reported, outcome);
  }

  /** The charge for a part of the text, by our own count: a provider counts only the whole. */
  chargeForText(text: string, outcome: SegmentOutcome): SegmentCharge {
    return this.#chargeFor(text, undefined, outcome);
  }

  #chargeFor(text: string, reported: ReportedUsage | undefined, outcome: SegmentOutcome): SegmentCharge {
    const { candidate } = this;
    const { model, quote } = candidate;
    const thirdParty = model.thirdParty === true;
    const { maxTokens = model.maxOutputTokens, choices = 1 } = this.#limits;
    const heardTokens = reported === undefined ? (quote.heardTokens ?? 0) : 0;
    const own = {
      inputTokens: quote.inputTokens + heardTokens,
      outputTokens: countTokens(text) + Math.ceil(this.#spokenTokens),
    };
    const accepted = acceptUsage(reported, own, {
      maxOutputTokens: maxTokens === undefined ? undefined : maxTokens * choices,
      attachedTokens: quote.attachedTokens,
      // A customer's model may claim anything. It gets hidden reasoning paid only if it shows the reasoning.
      thinks: !thirdParty && model.mayDialPrivate && model.capabilities.includes("reasoning"),
      believed: model.discovered === true,
      thirdParty,
    });
    const { audioMs, audioSource } = acceptAudio(reported, accepted, this.#audio, quote.audio, thirdParty);
    const { inputPerMillion, cachedInputPerMillion, cacheWritePerMillion } = quote.price;
    // Nobody else can count what a provider's cache did. A customer's model may make its input cheaper by it, not dearer.
    const trustsRead = !thirdParty || (cachedInputPerMillion ?? 0n) <= inputPerMillion;
    const trustsWrite = !thirdParty || (cacheWritePerMillion ?? 0n) <= inputPerMillion;
    const cachedInputTokens = trustsRead ? accepted.cachedInputTokens : 0;
    const cacheWriteTokens = trustsWrite ? accepted.cacheWriteTokens : 0;
    // Images that the client did not ask for are a customer's own expense.
    const images = thirdParty ? Math.min(this.#images, choices) : this.#images;
    const charge = {
      inputTokens: accepted.inputTokens,
      cachedInputTokens,
      cacheWriteTokens,
      outputTokens: accepted.outputTokens,
      reasoningTokens: accepted.reasoningTokens,
      images,
      audioMs,
      source: accepted.source,
      audioSource,
      cost: 0n,
      candidate,
      outcome,
    };
    charge.cost = fastPriceOf(quote.price, charge);
    return charge;
  }
}

/** Whether a part is output, and not only a report about it. */
function isOutput(part: Part): boolean {
  if (part.type === "text" || part.type === "thinking") return part.text !== "";
  // The stop sequence that ended an answer is output too; some answers consist of nothing else.
  if (part.type === "finish") return part.stopSequence !== undefined;
  return part.type === "media" || part.type === "tool-call" || part.type === "embedding";
}

/** What is charged for one segment. */
export interface SegmentCharge extends UsageCharge {
  /** The client left before there was any output. */
  readonly isInputOnly?: true;
  readonly candidate: Candidate;
  readonly outcome: SegmentOutcome;
}

const NO_CHARGES: readonly SegmentCharge[] = [];

interface EndedSegment {
  readonly segment: AnswerSegment;
  readonly outcome: "cut-off" | "failed-check";
}

/** The segments of one answer: the models that produced it, one after the other. */
export class AnswerSegments {
  #endedSegments: readonly EndedSegment[] = NONE;
  #current: AnswerSegment | undefined;

  /** Starts this candidate's segment. A segment that still runs was cut off. */
  start(candidate: Candidate, limits: OutputLimits): void {
    if (this.#current !== undefined) this.#end(this.#current, "cut-off");
    this.#current = new AnswerSegment(candidate, limits);
  }

  meter(part: Part): void {
    this.#current?.meter(part);
  }

  meterSpeech(tokens: number): void {
    this.#current?.meterSpeech(tokens);
  }

  /** Ends the current segment as a whole answer that is not delivered. It is still charged. */
  failCheck(): void {
    if (this.#current !== undefined) this.#end(this.#current, "failed-check");
    this.#current = undefined;
  }

  /** Drops the current segment, which is incomplete and not delivered. It costs nothing. */
  dropCurrent(): void {
    this.#current = undefined;
  }

  #end(segment: AnswerSegment, outcome: EndedSegment["outcome"]): void {
    if (segment.hasOutput) this.#endedSegments = withAdded(this.#endedSegments, { segment, outcome });
  }

  /** The cost of the answer if it ends now. */
  get costSoFar(): NanoCredits {
    const running = this.#current;
    let cost = running?.hasOutput ? running.chargeForText(running.text, "cut-off").cost : 0n;
    for (const ended of this.#endedSegments) cost += chargeForEnded(ended).cost;
    return cost;
  }

  /** The charges for all output: cut-off segments by our own count, the last one by its provider's. */
  chargeForAll(outcome: SegmentOutcome): readonly SegmentCharge[] {
    const last = this.#current?.hasOutput ? this.#current.chargeForAll(outcome) : undefined;
    // Nearly every answer has one segment.
    if (this.#endedSegments.length === 0) return last === undefined ? NO_CHARGES : [last];
    const charges = this.#endedSegments.map(chargeForEnded);
    return last === undefined ? charges : [...charges, last];
  }

  /**
   * The charges for the delivered output. Moderation withholds text but keeps its order. So the delivered text is the
   * beginning of the produced text, and each segment's share follows from its length.
   */
  chargeForDelivered(text: string, deliveredMedia: boolean): readonly SegmentCharge[] {
    const charges: SegmentCharge[] = [];
    let rest = text;
    for (const { segment, outcome } of this.#all()) {
      if (outcome === "failed-check") {
        charges.push(segment.chargeForAll(outcome));
        continue;
      }
      const share = segment === this.#current ? rest : rest.slice(0, segment.text.length);
      rest = rest.slice(share.length);
      if (share === "" && !(deliveredMedia && segment.hasMedia) && !segment.hasSpeech) continue;
      charges.push(segment.chargeForText(share, outcome));
    }
    return charges;
  }

  #all(): readonly EndedSegment[] {
    const running = this.#current;
    return running?.hasOutput
      ? [...this.#endedSegments, { segment: running, outcome: "cut-off" }]
      : this.#endedSegments;
  }
}

function chargeForEnded({ segment, outcome }: EndedSegment): SegmentCharge {
  return outcome === "failed-check" ? segment.chargeForAll(outcome) : segment.chargeForText(segment.text, outcome);
}

/** The charge for the input alone of a model that was called. */
export function chargeForInput(candidate: Candidate): SegmentCharge {
  return { ...new AnswerSegment(candidate, {}).chargeForText("", "cut-off"), isInputOnly: true };
}

/** What is charged for a whole request, and the segments that add up to it. */
export interface TotalCharge extends UsageCharge {
  readonly segments: readonly SegmentCharge[];
}

/** Nothing is charged. */
export const NO_TOTAL_CHARGE: TotalCharge = {
  ...NO_USAGE,
  source: "none",
  audioSource: undefined,
  cost: 0n,
  segments: [],
};

/**
 * The sum of the segments, never above the hold. The first segments are charged in full; the one that exceeds the hold is
 * cut. So the segments always add up to the total.
 */
export function sumSegments(charges: readonly SegmentCharge[], held: NanoCredits): TotalCharge {
  if (charges.length === 0) return NO_TOTAL_CHARGE;
  const [only] = charges;
  if (charges.length === 1 && only !== undefined && only.cost <= held) return addCharge(NO_TOTAL_CHARGE, only, charges);
  let total = NO_TOTAL_CHARGE;
  for (const charge of charges) {
    const left = held - total.cost;
    const segment = charge.cost <= left ? charge : { ...charge, cost: left };
    const segments = total.segments.length === 0 ? [segment] : [...total.segments, segment];
    total = addCharge(total, segment, segments);
  }
  return total;
}

function addCharge(total: TotalCharge, segment: SegmentCharge, segments: readonly SegmentCharge[]): TotalCharge {
  return {
    inputTokens: total.inputTokens + segment.inputTokens,
    cachedInputTokens: total.cachedInputTokens + segment.cachedInputTokens,
    cacheWriteTokens: total.cacheWriteTokens + segment.cacheWriteTokens,
    outputTokens: total.outputTokens + segment.outputTokens,
    reasoningTokens: total.reasoningTokens + segment.reasoningTokens,
    images: total.images + segment.images,
    audioMs: total.audioMs + segment.audioMs,
    // The total's source is the provider only where providers counted every segment.
    source: total.source === "none" || total.source === segment.source ? segment.source : "own",
    audioSource: segment.audioSource ?? total.audioSource,
    cost: total.cost + segment.cost,
    segments,
  };
}
