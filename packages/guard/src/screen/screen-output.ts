import { isObject } from "@trunkline/core/json-object.ts";
import type { LogprobsPart, MediaPart, Part, TextPart, ThinkingPart, ToolCallPart } from "@trunkline/core/parts.ts";
import type { Verdict } from "@trunkline/core/verdict.ts";
import type { StreamDetection, StreamDetector } from "../detector.ts";
import type { Guard } from "../policy/guard.ts";
import { outputRefusal } from "../policy/refusal.ts";
import { VerdictTally } from "../policy/verdict-tally.ts";
import { type Resumable, TimeSlice } from "../resumable.ts";
import { type AnswerContext, CERTAIN } from "./answer-context.ts";
import { ChoiceScreen } from "./choice-screen.ts";
import { LinkDetector } from "./link-detector.ts";
import { redactToolArguments } from "./output-redactions.ts";
import { PromptLeakDetector } from "./prompt-leak-detector.ts";
import { SHORT_TEXT_CHARACTERS, TextScreen } from "./text-screen.ts";

/**
 * The safety check of an answer: yields the same parts, held back just long enough to examine them, until something is
 * refused. `onVerdict` is called once with the final verdict, however the answer ends.
 */
export async function* screenOutput(
  guard: Guard,
  context: AnswerContext,
  parts: AsyncIterable<Part>,
  onVerdict: (verdict: Verdict) => void,
): AsyncGenerator<Part> {
  const screen = new AnswerScreen(guard, context);
  // Iterates by hand, as each layer of generators costs about as much as the examination.
  const source = parts[Symbol.asyncIterator]();
  let isOver = false;
  let failure: { readonly error: unknown } | undefined;
  try {
    while (!isOver && failure === undefined) {
      let next = END_OF_PARTS;
      try {
        next = await source.next();
      } catch (error) {
        failure = { error };
      }
      isOver = next.done === true;
      // What came before a provider failure is still delivered.
      const part = next.done === true ? undefined : next.value;
      // Most parts are short and need no time slices.
      const { safe, refusal } = screen.readShort(part) ?? (await readInTimeSlices(screen, part));
      for (const part of safe) yield part;
      failure = refusal ?? failure;
    }
  } finally {
    onVerdict(screen.verdict);
    // An error while the source is closed must not hide the reason for closing it.
    if (!isOver)
      await source.return?.().catch((error: unknown) => {
        failure ??= { error };
      });
  }
  if (failure !== undefined) throw failure.error;
}

/** Long parts yield to the event loop in between. */
function readInTimeSlices(screen: AnswerScreen, part: Part | undefined): ScreenedParts | Promise<ScreenedParts> {
  const resumable = screen.read(part);
  const step = resumable.next();
  return step.done === true ? step.value : new TimeSlice().run(resumable);
}

const END_OF_PARTS: IteratorResult<Part> = { done: true, value: undefined };

/** The parts to send, and the refusal that then ends the answer. */
interface ScreenedParts {
  readonly safe: readonly Part[];
  readonly refusal: { readonly error: unknown } | undefined;
}

/** Screens all choices of an answer, each by itself, and releases the parts that are safe. */
export class AnswerScreen {
  readonly #guard: Guard;
  readonly #context: AnswerContext;
  readonly #choices = new Map<number, ChoiceScreen>();
  readonly #otherVerdicts = new VerdictTally();
  readonly #otherRedactedCounts = new Map<string, number>();

  constructor(guard: Guard, context: AnswerContext) {
    this.#guard = guard;
    this.#context = context;
  }

  /** The verdict so far. Spans are reported for the text of the first choice only, as they are offsets into it. */
  get verdict(): Verdict {
    const tally = new VerdictTally();
    for (const [choice, { textScreen, thinkingScreen }] of this.#choices) {
      tally.add(choice === 0 ? textScreen.verdict : withoutSpans(textScreen.verdict), 0);
      if (thinkingScreen !== undefined) tally.add(withoutSpans(thinkingScreen.verdict), 0);
    }
    tally.add(this.#otherVerdicts.verdict(), 0);
    const redacted = this.#redactedCounts();
    return redacted.size === 0 ? tally.verdict() : { ...tally.verdict(), redacted: Object.fromEntries(redacted) };
  }

  #redactedCounts(): Map<string, number> {
    const totals = new Map(this.#otherRedactedCounts);
    for (const { textScreen, thinkingScreen } of this.#choices.values())
      for (const counts of [textScreen.redactedCounts, thinkingScreen?.redactedCounts])
        for (const [kind, count] of counts ?? []) totals.set(kind, (totals.get(kind) ?? 0) + count);
    return totals;
  }

  /** Reads the next part; undefined: the answer ended, and what is left of every choice is examined. Works in steps. */
  *read(part: Part | undefined): Resumable<ScreenedParts> {
    const safe: Part[] = [];
    try {
      if (part === undefined) this.#flushAll(safe);
      else yield* this.#read(part, safe);
      return { safe, refusal: undefined };
    } catch (error) {
      return { safe, refusal: { error } };
    }
  }

  /**
   * The same for a short part, as nearly all parts of a stream are, or for the end: steps would cost as much as the
   * examination. undefined: the part is too long.
   */
  readShort(part: Part | undefined): ScreenedParts | undefined {
    if (part !== undefined && !isShort(part)) return undefined;
    const safe: Part[] = [];
    try {
      if (part === undefined) this.#flushAll(safe);
      else this.#choiceScreen(part.choice).readShort(part, safe);
      return { safe, refusal: undefined };
    } catch (error) {
      return { safe, refusal: { error } };
    }
  }

  *#read(part: Part, safe: Part[]): Resumable<void> {
    switch (part.type) {
      case "text":
      case "thinking":
        yield* this.#choiceScreen(part.choice).read(part, safe);
        return;
      case "tool-call":
        this.#choiceScreen(part.choice).flush(safe);
        this.#applyPolicyToOther(detectUnofferedToolCall(part, this.#context));
        yield* this.#screenOtherText(toolCallText(part));
        safe.push({ ...part, arguments: yield* this.#redactArguments(part.arguments) });
        return;
      case "logprobs": {
        const screen = this.#choiceScreen(part.choice);
        screen.flush(safe);
        for (const words of logprobsTexts(part)) yield* this.#screenOtherText(words);
        // The tokens would repeat what was redacted from the text.
        safe.push(screen.textScreen.redactedCounts.size > 0 ? { ...part, content: [] } : part);
        return;
      }
      case "finish":
        this.#choiceScreen(part.choice).flush(safe);
        break;
      case "media":
        this.#flushAll(safe);
        yield* this.#screenOtherText(mediaText(part));
        break;
      default:
      // Usage may arrive at any time and does not mark the end of the text.
    }
    safe.push(part);
  }

  #flushAll(safe: Part[]): void {
    for (const screen of this.#choices.values()) screen.flush(safe);
  }

  /** Examines text that belongs to the answer but not to its text, so that its spans would be meaningless. */
  *#screenOtherText(text: string): Resumable<void> {
    if (text === "") return;
    const screen = this.#createTextScreen(this.#guard.createStreamDetectors(), false);
    try {
      yield* screen.read(text);
      screen.flush();
    } finally {
      this.#otherVerdicts.add(withoutSpans(screen.verdict), 0);
    }
  }

  *#redactArguments(text: string): Resumable<string> {
    if (!this.#guard.redacts) return text;
    const { findValuesToRedact: findValues } = this.#guard;
    const isExempt = (value: string) => this.#context.isCallerValue(value);
    const redactedArguments = yield* redactToolArguments(text, { findValues, isExempt });
    for (const kind of redactedArguments.kinds)
      this.#otherRedactedCounts.set(kind, (this.#otherRedactedCounts.get(kind) ?? 0) + 1);
    return redactedArguments.text;
  }

  #applyPolicyToOther(streamDetection: ReturnType<typeof detectUnofferedToolCall>): void {
    if (streamDetection === undefined) return;
    const verdict = withoutSpans(this.#guard.applyPolicy(streamDetection));
    this.#otherVerdicts.add(verdict, 0);
    if (verdict.action === "refuse") throw outputRefusal(this.#guard.policy, verdict);
  }

  #choiceScreen(choice: number | undefined): ChoiceScreen {
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

function isShort(part: Part): part is TextPart | ThinkingPart {
  return (part.type === "text" || part.type === "thinking") && part.text.length <= SHORT_TEXT_CHARACTERS;
}

function withoutSpans(verdict: Verdict): Verdict {
  return { ...verdict, spans: [] };
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

const DEPTH_MAX = 32;
/** Media data and references to it. */
const NON_TEXT_FIELDS = new Set(["url", "b64_json", "data", "image_url", "id", "expires_at"]);

/** The arguments of a tool call without escapes. */
function toolCallText({ arguments: text }: ToolCallPart): string {
  if (!text.includes("\\")) return text;
  try {
    const words: string[] = [];
    collectStrings(JSON.parse(text), words, 0);
    return words.join("\n");
  } catch {
    // Not JSON: the text is examined as it is.
    return text;
  }
}

/** The text beside an image or a recording: the revised prompt or the transcript. */
function mediaText({ source }: MediaPart): string {
  const words: string[] = [];
  for (const [name, value] of Object.entries(source)) if (!NON_TEXT_FIELDS.has(name)) collectStrings(value, words, 0);
  return words.join("\n");
}

/** The tokens of an answer as text, and the alternatives of each rank. */
function logprobsTexts({ content }: LogprobsPart): string[] {
  const texts: string[] = [];
  for (const entry of content) {
    if (!isObject(entry)) continue;
    const alternatives = Array.isArray(entry.top_logprobs) ? entry.top_logprobs : [];
    for (const [rank, token] of [entry, ...alternatives].entries()) {
      const word = isObject(token) && typeof token.token === "string" ? token.token : "";
      texts[rank] = (texts[rank] ?? "") + word;
    }
  }
  return texts.map((text) => text ?? "");
}

function collectStrings(value: unknown, words: string[], depth: number): void {
  if (typeof value === "string") words.push(value);
  else if (typeof value === "object" && value !== null && depth < DEPTH_MAX)
    for (const [name, inner] of Object.entries(value)) {
      if (!Array.isArray(value)) words.push(name);
      collectStrings(inner, words, depth + 1);
    }
}
