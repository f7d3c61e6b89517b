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
 * The safety check on the way back: the same parts, held back just enough to judge them, until something is refused.
 * `context` is what was asked. `onVerdict` hears what was made of the answer once, however it ends.
 */
export async function* screenOutput(
  guard: Guard,
  context: AnswerContext,
  parts: AsyncIterable<Part>,
  onVerdict: (verdict: Verdict) => void,
): AsyncGenerator<Part> {
  const watch = new AnswerScreen(guard, context);
  // By hand, as every further layer of generators costs about as much as judging does.
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
      // Also what came before a provider's failure is the caller's.
      const part = next.done === true ? undefined : next.value;
      // Most parts are short, and nobody waits for those.
      const { safe, refusal } = watch.readShort(part) ?? (await readInTimeSlices(watch, part));
      for (const part of safe) yield part;
      failure = refusal ?? failure;
    }
  } finally {
    onVerdict(watch.verdict);
    // What goes wrong while the source is closed must not hide why it was.
    if (!isOver)
      await source.return?.().catch((error: unknown) => {
        failure ??= { error };
      });
  }
  if (failure !== undefined) throw failure.error;
}

/** Much of it goes in turns with others' work. */
function readInTimeSlices(watch: AnswerScreen, part: Part | undefined): ScreenedParts | Promise<ScreenedParts> {
  const resumable = watch.read(part);
  const step = resumable.next();
  return step.done === true ? step.value : new TimeSlice().run(resumable);
}

const END_OF_PARTS: IteratorResult<Part> = { done: true, value: undefined };

/** What can be passed on, and what then ends the answer. */
interface ScreenedParts {
  readonly safe: readonly Part[];
  readonly refusal: { readonly error: unknown } | undefined;
}

/** Follows all choices of an answer, each on its own, and lets go of the parts that are safe. */
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

  /** What was made of the answer so far. Places are told of the first choice's words alone: they point into its text. */
  get verdict(): Verdict {
    const tally = new VerdictTally();
    for (const [choice, { textScreen: words, thinkingScreen: thoughts }] of this.#choices) {
      tally.add(choice === 0 ? words.verdict : withoutSpans(words.verdict), 0);
      if (thoughts !== undefined) tally.add(withoutSpans(thoughts.verdict), 0);
    }
    tally.add(this.#otherVerdicts.verdict(), 0);
    const redacted = this.#redactedCounts();
    return redacted.size === 0 ? tally.verdict() : { ...tally.verdict(), redacted: Object.fromEntries(redacted) };
  }

  #redactedCounts(): Map<string, number> {
    const omitted = new Map(this.#otherRedactedCounts);
    for (const { textScreen: words, thinkingScreen: thoughts } of this.#choices.values())
      for (const counts of [words.redactedCounts, thoughts?.redactedCounts])
        for (const [kind, count] of counts ?? []) omitted.set(kind, (omitted.get(kind) ?? 0) + count);
    return omitted;
  }

  /** Takes the next part; undefined: there is none, and what is left of every choice is judged. Stops where there is much of it. */
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

  /** The same of a few words, as nearly all of a stream is, or of none: steps would cost as much as judging them. undefined: it is more. */
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
        const watch = this.#choiceScreen(part.choice);
        watch.flush(safe);
        for (const words of logprobsTexts(part)) yield* this.#screenOtherText(words);
        // What was taken out of the words would stand here again.
        safe.push(watch.textScreen.redactedCounts.size > 0 ? { ...part, content: [] } : part);
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
      // Figures may come at any time, and say nothing about where the words end.
    }
    safe.push(part);
  }

  #flushAll(safe: Part[]): void {
    for (const watch of this.#choices.values()) watch.flush(safe);
  }

  /** Judges words that belong to the answer but not to its text: their places would point into what they are no part of. */
  *#screenOtherText(text: string): Resumable<void> {
    if (text === "") return;
    const watch = this.#createTextScreen(this.#guard.createStreamDetectors(), false);
    try {
      yield* watch.read(text);
      watch.flush();
    } finally {
      this.#otherVerdicts.add(withoutSpans(watch.verdict), 0);
    }
  }

  *#redactArguments(text: string): Resumable<string> {
    if (!this.#guard.redacts) return text;
    const { findValuesToRedact: valuesIn } = this.#guard;
    const stays = (value: string) => this.#context.isCallerValue(value);
    const redactedArguments = yield* redactToolArguments(text, { findValues: valuesIn, isExempt: stays });
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
    const words = this.#createTextScreen(
      [...this.#createStreamDetectors(), ...this.#createPromptLeakDetectors()],
      (choice ?? 0) === 0,
      this.#context.expectsJson,
    );
    const watch = new ChoiceScreen(choice, words, () => this.#createTextScreen(this.#createStreamDetectors(), false));
    this.#choices.set(choice ?? 0, watch);
    return watch;
  }

  #createTextScreen(streamDetectors: readonly StreamDetector[], tellsPlaces: boolean, isJson = false): TextScreen {
    const stays = (value: string) => this.#context.isCallerValue(value);
    return new TextScreen(this.#guard, streamDetectors, {
      isExempt: stays,
      reportsSpans: tellsPlaces,
      isJson,
    });
  }

  #createStreamDetectors(): readonly StreamDetector[] {
    return [...this.#guard.createStreamDetectors(), new LinkDetector(this.#context)];
  }

  /** A model that thinks repeats its instructions to itself. */
  #createPromptLeakDetectors(): readonly StreamDetector[] {
    const { promptIndex: leakable } = this.#context;
    return leakable === undefined ? [] : [new PromptLeakDetector(this.#context, leakable)];
  }
}

function isShort(part: Part): part is TextPart | ThinkingPart {
  return (part.type === "text" || part.type === "thinking") && part.text.length <= SHORT_TEXT_CHARACTERS;
}

function withoutSpans(verdict: Verdict): Verdict {
  return { ...verdict, spans: [] };
}

/** A call of a tool that the request did not offer. No model of its own accord knows such a tool: somebody put the call there. */
function detectUnofferedToolCall({ name }: ToolCallPart, context: AnswerContext): StreamDetection | undefined {
  if (!context.isToolNotOffered(name)) return undefined;
  // A call stands beside the text, so it has no place in it.
  return { findings: [{ category: "injection", score: CERTAIN, start: 0, end: 0 }], normalised: [] };
}

const DEPTH_MAX = 32;
/** Bytes of a picture or a recording, and where they lie. */
const NON_TEXT_FIELDS = new Set(["url", "b64_json", "data", "image_url", "id", "expires_at"]);

/** What a tool is called with, as it reads once its escapes are undone. */
function toolCallText({ arguments: text }: ToolCallPart): string {
  if (!text.includes("\\")) return text;
  try {
    const words: string[] = [];
    collectStrings(JSON.parse(text), words, 0);
    return words.join("\n");
  } catch {
    // No JSON: its words stand as they are.
    return text;
  }
}

/** What is said beside a picture or a recording: how the request was understood, or what is spoken. */
function mediaText({ source }: MediaPart): string {
  const words: string[] = [];
  for (const [name, value] of Object.entries(source)) if (!NON_TEXT_FIELDS.has(name)) collectStrings(value, words, 0);
  return words.join("\n");
}

/** The words of an answer as its likelihoods spell them, and those that were nearly said in their stead, rank by rank. */
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

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
