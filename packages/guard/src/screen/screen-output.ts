import type {
  LogprobsPart,
  MediaPart,
  Part,
  TextPart,
  ThinkingPart,
  TimingsPart,
  ToolCallPart,
} from "@trunkline/core/parts.ts";
import type { Verdict } from "@trunkline/core/verdict.ts";
import type { StreamDetection, StreamDetector } from "../detector.ts";
import type { Guard } from "../policy/guard.ts";
import { outputRefusal } from "../policy/refusal.ts";
import { VerdictTally } from "../policy/verdict-tally.ts";
import { TimeSlice } from "../time-slice.ts";
import { type AnswerContext, CERTAIN } from "./answer-context.ts";
import { ChoiceScreen } from "./choice-screen.ts";
import { LinkDetector, mayHoldLink } from "./link-detector.ts";
import {
  logprobsTexts,
  mediaText,
  OtherExamination,
  PIECE_CHARACTERS,
  timingsTexts,
  toolCallText,
  withoutSpans,
} from "./other-examination.ts";
import { redactToolArguments, searchToolArguments } from "./output-redactions.ts";
import { mayRepeatPrompt, PromptLeakDetector } from "./prompt-leak-detector.ts";
import { TextScreen } from "./text-screen.ts";

/** The parts to send, and the refusal that then ends the answer. */
export interface ScreenedParts {
  readonly safe: readonly Part[];
  readonly refusal: { readonly error: unknown } | undefined;
}

/** What remains of a whole answer, and how many of its parts were examined: none after a refused one. */
export interface ScreenedAnswer extends ScreenedParts {
  readonly partsRead: number;
}

/** Token probabilities of at most this many tokens are screened at once. */
const SHORT_PART_TOKENS = 16;

/**
 * Screens the next part and yields to the event loop if that takes long. Nearly all parts of a stream are short, and
 * most whole answers too: only a part that uses up its time slice is waited for.
 */
export function screenPart(screen: AnswerScreen, part: Part): ScreenedParts | Promise<ScreenedParts> {
  if (!isLong(part)) return screen.read(part);
  const timeSlice = new TimeSlice();
  const reading = screen.startReading(part);
  while (reading.next()) if (timeSlice.isUsedUp) return finishReading(reading, timeSlice);
  return reading;
}

async function finishReading(reading: PartReading, timeSlice: TimeSlice): Promise<ScreenedParts> {
  do {
    if (timeSlice.isUsedUp) await timeSlice.yieldToEventLoop();
  } while (reading.next());
  return reading;
}

/** Screens the parts one after the other and yields to the event loop if that takes long. */
function screenParts(screen: AnswerScreen, parts: readonly Part[]): ScreenedAnswer | Promise<ScreenedAnswer> {
  const safe: Part[] = [];
  for (const [at, part] of parts.entries()) {
    const screening = screenPart(screen, part);
    if (screening instanceof Promise) return screenRest(screen, parts, at, screening, safe);
    for (const safePart of screening.safe) safe.push(safePart);
    if (screening.refusal !== undefined) return { safe, refusal: screening.refusal, partsRead: at + 1 };
  }
  const rest = screen.end();
  for (const safePart of rest.safe) safe.push(safePart);
  return { safe, refusal: rest.refusal, partsRead: parts.length };
}

/** Waits for the part at `from`, then screens those after it. */
async function screenRest(
  screen: AnswerScreen,
  parts: readonly Part[],
  from: number,
  screening: Promise<ScreenedParts>,
  safe: Part[],
): Promise<ScreenedAnswer> {
  const screened = await screening;
  safe.push(...screened.safe);
  if (screened.refusal !== undefined) return { safe, refusal: screened.refusal, partsRead: from + 1 };
  const rest = await screenParts(screen, parts.slice(from + 1));
  safe.push(...rest.safe);
  return { safe, refusal: rest.refusal, partsRead: from + 1 + rest.partsRead };
}

function isLong(part: Part): part is LongPart {
  switch (part.type) {
    case "text":
    case "thinking":
      return part.text.length > PIECE_CHARACTERS;
    case "tool-call":
      return part.arguments.length > PIECE_CHARACTERS;
    case "logprobs":
      return part.content.length > SHORT_PART_TOKENS;
    default:
      return part.type === "media" || part.type === "timings";
  }
}

/** A part that may be long. */
type LongPart = TextPart | ThinkingPart | OtherPart;
/** A part with text that does not belong to the text of the answer. */
type OtherPart = ToolCallPart | LogprobsPart | TimingsPart | MediaPart;

/** Screens all choices of an answer, each by itself, and releases the parts that are safe. */
export class AnswerScreen {
  readonly #guard: Guard;
  readonly #context: AnswerContext;
  #choices: Map<number, ChoiceScreen> | undefined;
  /** The verdicts on the texts of a whole answer in which nothing was found. */
  #plainVerdicts: readonly Verdict[] = NO_VERDICTS;
  // Most answers have text only.
  #otherVerdicts: VerdictTally | undefined;
  #otherRedactedCounts: Map<string, number> | undefined;

  constructor(guard: Guard, context: AnswerContext) {
    this.#guard = guard;
    this.#context = context;
  }

  /** The verdict so far. Spans are reported for the text of the first choice only, as they are offsets into it. */
  get verdict(): Verdict {
    const [plain, ...others] = this.#plainVerdicts;
    if (plain !== undefined && others.length === 0) return plain;
    const tally = new VerdictTally();
    for (const verdict of this.#plainVerdicts) tally.add(verdict, 0);
    for (const [choice, { textScreen, thinkingScreen }] of this.#choices ?? []) {
      tally.add(choice === 0 ? textScreen.verdict : withoutSpans(textScreen.verdict), 0);
      if (thinkingScreen !== undefined) tally.add(withoutSpans(thinkingScreen.verdict), 0);
    }
    if (this.#otherVerdicts !== undefined) tally.add(this.#otherVerdicts.verdict(), 0);
    const redacted = this.#redactedCounts();
    return redacted.size === 0 ? tally.verdict() : { ...tally.verdict(), redacted: Object.fromEntries(redacted) };
  }

  #redactedCounts(): Map<string, number> {
    const totals = new Map(this.#otherRedactedCounts ?? []);
    for (const { textScreen, thinkingScreen } of this.#choices?.values() ?? [])
      for (const counts of [textScreen.redactedCounts, thinkingScreen?.redactedCounts])
        for (const [kind, count] of counts ?? []) totals.set(kind, (totals.get(kind) ?? 0) + count);
    return totals;
  }

  /**
   * Screens a whole answer at once, instead of `screenPart` for each part and `end`. The verdict, the refusal and what of
   * each choice is safe are the same; a text in which nothing is found stays one part. Returns a promise only where it
   * takes long.
   */
  screenWhole(parts: readonly Part[]): ScreenedAnswer | Promise<ScreenedAnswer> {
    return this.#screenPlainAnswer(parts) ?? screenParts(this, parts);
  }

  /** Screens an answer of texts in which nothing is found; undefined: it may be another one. */
  #screenPlainAnswer(parts: readonly Part[]): ScreenedAnswer | undefined {
    let characters = 0;
    let hasEmptyText = false;
    for (let at = 0; at < parts.length; at += 1) {
      const part = parts[at];
      if (part === undefined || !isPlainPart(part)) return undefined;
      if (part.type !== "text") continue;
      characters += part.text.length;
      if (part.text === "") hasEmptyText = true;
      if (characters > PLAIN_CHARACTERS_MAX || hasPartBefore(parts, at, part.choice ?? 0)) return undefined;
    }
    let verdicts = NO_VERDICTS;
    for (const part of parts) {
      if (part.type !== "text" || part.text === "") continue;
      const verdict = this.#evaluatePlainText(part.text);
      if (verdict === undefined) return undefined;
      verdicts = verdicts.length === 0 ? [verdict] : [...verdicts, verdict];
    }
    this.#plainVerdicts = verdicts;
    const safe = hasEmptyText ? parts.filter((part) => part.type !== "text" || part.text !== "") : parts;
    return { safe, refusal: undefined, partsRead: parts.length };
  }

  #evaluatePlainText(text: string): Verdict | undefined {
    if (mayHoldLink(text)) return undefined;
    const { promptIndex } = this.#context;
    if (promptIndex !== undefined && mayRepeatPrompt(text, promptIndex)) return undefined;
    return this.#guard.evaluatePlainAnswer?.(text);
  }

  /** Screens the next part at once. `screenPart` reads long parts in pieces. */
  read(part: Part): ScreenedParts {
    const safe: Part[] = [];
    try {
      switch (part.type) {
        case "text":
        case "thinking":
          this.#choiceScreen(part.choice).read(part, safe);
          break;
        case "tool-call":
        case "logprobs":
        case "timings":
        case "media": {
          const reading = this.startReading(part);
          while (reading.next());
          return reading;
        }
        case "finish":
          this.#choiceScreen(part.choice).flush(safe);
          safe.push(part);
          break;
        default:
          // Usage may arrive at any time and does not mark the end of the text.
          safe.push(part);
      }
      return { safe, refusal: undefined };
    } catch (error) {
      return { safe, refusal: { error } };
    }
  }

  /** The answer ended: examines what is left of every choice. */
  end(): ScreenedParts {
    const safe: Part[] = [];
    try {
      this.#flushAll(safe);
      return { safe, refusal: undefined };
    } catch (error) {
      return { safe, refusal: { error } };
    }
  }

  /** Begins to read a part in pieces. The result is that of `read`. */
  startReading(part: LongPart): PartReading {
    if (part.type === "text" || part.type === "thinking") {
      const screen = this.#choiceScreen(part.choice);
      let at = 0;
      return new PartReading((safe) => {
        const end = at + PIECE_CHARACTERS;
        const isLast = end >= part.text.length;
        if (isLast) screen.read({ ...part, text: part.text.slice(at) }, safe);
        else screen.readPiece(part.type, part.text.slice(at, end), safe);
        at = end;
        return !isLast;
      });
    }
    let examination: OtherExamination | undefined;
    return new PartReading((safe) => {
      examination ??= this.#startExamination(part, safe);
      if (examination.next()) return true;
      this.#release(part, examination, safe);
      return false;
    });
  }

  /** Releases what comes before the part and begins to examine it. */
  #startExamination(part: OtherPart, safe: Part[]): OtherExamination {
    const createScreen = () => this.#createTextScreen(this.#guard.createStreamDetectors(), false);
    this.#otherVerdicts ??= new VerdictTally();
    if (part.type === "media") {
      this.#flushAll(safe);
      return new OtherExamination([mediaText(part)], createScreen, this.#otherVerdicts);
    }
    this.#choiceScreen(part.type === "timings" ? undefined : part.choice).flush(safe);
    if (part.type === "timings") return new OtherExamination(timingsTexts(part), createScreen, this.#otherVerdicts);
    if (part.type === "logprobs") return new OtherExamination(logprobsTexts(part), createScreen, this.#otherVerdicts);
    this.#applyPolicyToOther(detectUnofferedToolCall(part, this.#context));
    const { redacts, findValuesToRedact } = this.#guard;
    const search = redacts ? () => searchToolArguments(part.arguments, findValuesToRedact) : undefined;
    return new OtherExamination([toolCallText(part)], createScreen, this.#otherVerdicts, search);
  }

  #release(part: OtherPart, { search }: OtherExamination, safe: Part[]): void {
    if (part.type === "tool-call" && search !== undefined) {
      const { text, kinds } = redactToolArguments(search, (value) => this.#context.isCallerValue(value));
      this.#otherRedactedCounts ??= new Map();
      for (const kind of kinds) this.#otherRedactedCounts.set(kind, (this.#otherRedactedCounts.get(kind) ?? 0) + 1);
      safe.push({ ...part, arguments: text });
    } else if (part.type === "logprobs" && this.#choiceScreen(part.choice).textScreen.redactedCounts.size > 0) {
      // The tokens would repeat what was redacted from the text.
      safe.push({ ...part, content: [] });
    } else if (part.type === "timings" && this.#choiceScreen(undefined).textScreen.redactedCounts.size > 0) {
      safe.push({ type: "timings", language: part.language });
    } else safe.push(part);
  }

  #flushAll(safe: Part[]): void {
    for (const screen of this.#choices?.values() ?? []) screen.flush(safe);
  }

  #applyPolicyToOther(streamDetection: ReturnType<typeof detectUnofferedToolCall>): void {
    if (streamDetection === undefined) return;
    const verdict = withoutSpans(this.#guard.applyPolicy(streamDetection));
    this.#otherVerdicts ??= new VerdictTally();
    this.#otherVerdicts.add(verdict, 0);
    if (verdict.action === "refuse") throw outputRefusal(this.#guard.policy, verdict);
  }

  #choiceScreen(choice: number | undefined): ChoiceScreen {
    this.#choices ??= new Map();
    const known = this.#choices.get(choice ?? 0);
    if (known !== undefined) return known;
    const textScreen = this.#createTextScreen(
      [...this.#createStreamDetectors(), ...this.#createPromptLeakDetectors()],
      (choice ?? 0) === 0,
      this.#context.expectsJson,
    );
    const screen = new ChoiceScreen(choice, textScreen, () =>
      this.#createTextScreen(this.#createStreamDetectors(), false),
    );
    this.#choices.set(choice ?? 0, screen);
    return screen;
  }

  #createTextScreen(streamDetectors: readonly StreamDetector[], reportsSpans: boolean, isJson = false): TextScreen {
    const isExempt = (value: string) => this.#context.isCallerValue(value);
    return new TextScreen(this.#guard, streamDetectors, {
      isExempt,
      reportsSpans,
      isJson,
      isHarmlessRequest: this.#context.isHarmlessRequest,
    });
  }

  #createStreamDetectors(): readonly StreamDetector[] {
    return [...this.#guard.createStreamDetectors(), new LinkDetector(this.#context)];
  }

  /** The text only: while thinking, a model repeats its instructions to itself. */
  #createPromptLeakDetectors(): readonly StreamDetector[] {
    const { promptIndex } = this.#context;
    return promptIndex === undefined ? [] : [new PromptLeakDetector(this.#context, promptIndex)];
  }
}

const NO_VERDICTS: readonly Verdict[] = [];
/** Longer answers are screened in pieces. */
const PLAIN_CHARACTERS_MAX = 4096;

/** Whether a part is text, or has nothing to screen. */
function isPlainPart({ type }: Part): boolean {
  return type === "text" || type === "finish" || type === "usage" || type === "embedding";
}

/** Whether the text of a choice comes after another part of that choice. */
function hasPartBefore(parts: readonly Part[], at: number, choice: number): boolean {
  for (let before = 0; before < at; before += 1) {
    const part = parts[before];
    if ((part?.type === "text" || part?.type === "finish") && (part.choice ?? 0) === choice) return true;
  }
  return false;
}

/** A part that is read piece by piece, and what of it is safe. */
class PartReading implements ScreenedParts {
  readonly #readPiece: (safe: Part[]) => boolean;
  readonly safe: Part[] = [];
  refusal: ScreenedParts["refusal"];

  /** `readPiece` adds what is safe and returns whether there is more to read. */
  constructor(readPiece: (safe: Part[]) => boolean) {
    this.#readPiece = readPiece;
  }

  /** Reads the next piece; returns whether there is more to read. */
  next(): boolean {
    try {
      return this.#readPiece(this.safe);
    } catch (error) {
      this.refusal = { error };
      return false;
    }
  }
}

/**
 * A call of a tool that the request did not offer. A model does not know such a tool by itself: an attack planted the
 * call.
 */
function detectUnofferedToolCall({ name }: ToolCallPart, context: AnswerContext): StreamDetection | undefined {
  if (!context.isToolNotOffered(name)) return undefined;
  // A call is not part of the text, so it has no offsets.
  return { findings: [{ category: "injection", score: CERTAIN, start: 0, end: 0 }], normalised: [] };
}
