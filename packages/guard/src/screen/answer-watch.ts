import type { Part, TextPart, ThinkingPart } from "@trunkline/core/answer.ts";
import type { Verdict } from "@trunkline/core/verdict.ts";
import type { Follower } from "../detector.ts";
import type { Guard } from "../policy/guard.ts";
import { refuseOutput } from "../policy/refusal.ts";
import { VerdictTally } from "../policy/verdict-tally.ts";
import type { Steps } from "../resumable.ts";
import type { AnswerContext } from "./answer-context.ts";
import { ChoiceWatch } from "./choice-screen.ts";
import { LinkWatch } from "./link-watch.ts";
import { PromptLeak } from "./prompt-leak-detector.ts";
import { redactAnswered } from "./redact-answered.ts";
import { OutputWatch, SHORT } from "./text-screen.ts";
import { judgeCall } from "./unasked-call.ts";
import { wordsOfCall, wordsOfLogprobs, wordsOfMedia } from "./words-aside.ts";

/** What can be passed on, and what then ends the answer. */
export interface Reading {
  readonly safe: readonly Part[];
  readonly refusal: { readonly error: unknown } | undefined;
}

/** Follows all choices of an answer, each on its own, and lets go of the parts that are safe. */
export class AnswerWatch {
  readonly #guard: Guard;
  readonly #context: AnswerContext;
  readonly #watches = new Map<number, ChoiceWatch>();
  readonly #aside = new VerdictTally();
  readonly #omittedAside = new Map<string, number>();

  constructor(guard: Guard, context: AnswerContext) {
    this.#guard = guard;
    this.#context = context;
  }

  /** What was made of the answer so far. Places are told of the first choice's words alone: they point into its text. */
  get verdict(): Verdict {
    const tally = new VerdictTally();
    for (const [choice, { words, thoughts }] of this.#watches) {
      tally.add(choice === 0 ? words.verdict : withoutPlaces(words.verdict), 0);
      if (thoughts !== undefined) tally.add(withoutPlaces(thoughts.verdict), 0);
    }
    tally.add(this.#aside.verdict(), 0);
    const redacted = this.#omitted();
    return redacted.size === 0
      ? tally.verdict()
      : { ...tally.verdict(), redacted: Object.fromEntries(redacted) };
  }

  #omitted(): Map<string, number> {
    const omitted = new Map(this.#omittedAside);
    for (const { words, thoughts } of this.#watches.values())
      for (const counts of [words.omitted, thoughts?.omitted])
        for (const [kind, count] of counts ?? []) omitted.set(kind, (omitted.get(kind) ?? 0) + count);
    return omitted;
  }

  /** Takes the next part; undefined: there is none, and what is left of every choice is judged. Stops where there is much of it. */
  *read(part: Part | undefined): Steps<Reading> {
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
  readShort(part: Part | undefined): Reading | undefined {
    if (part !== undefined && !isShort(part)) return undefined;
    const safe: Part[] = [];
    try {
      if (part === undefined) this.#flushAll(safe);
      else this.#watchOf(part.choice).readShort(part, safe);
      return { safe, refusal: undefined };
    } catch (error) {
      return { safe, refusal: { error } };
    }
  }

  *#read(part: Part, safe: Part[]): Steps<void> {
    switch (part.type) {
      case "text":
      case "thinking":
        yield* this.#watchOf(part.choice).read(part, safe);
        return;
      case "tool-call":
        this.#watchOf(part.choice).flush(safe);
        this.#settleAside(judgeCall(part, this.#context));
        yield* this.#judgeAside(wordsOfCall(part));
        safe.push({ ...part, arguments: yield* this.#redacted(part.arguments) });
        return;
      case "logprobs": {
        const watch = this.#watchOf(part.choice);
        watch.flush(safe);
        for (const words of wordsOfLogprobs(part)) yield* this.#judgeAside(words);
        // What was taken out of the words would stand here again.
        safe.push(watch.words.omitted.size > 0 ? { ...part, content: [] } : part);
        return;
      }
      case "finish":
        this.#watchOf(part.choice).flush(safe);
        break;
      case "media":
        this.#flushAll(safe);
        yield* this.#judgeAside(wordsOfMedia(part));
        break;
      default:
      // Figures may come at any time, and say nothing about where the words end.
    }
    safe.push(part);
  }

  #flushAll(safe: Part[]): void {
    for (const watch of this.#watches.values()) watch.flush(safe);
  }

  /** Judges words that belong to the answer but not to its text: their places would point into what they are no part of. */
  *#judgeAside(text: string): Steps<void> {
    if (text === "") return;
    const watch = this.#watch(this.#guard.follow(), false);
    try {
      yield* watch.read(text);
      watch.flush();
    } finally {
      this.#aside.add(withoutPlaces(watch.verdict), 0);
    }
  }

  *#redacted(text: string): Steps<string> {
    if (!this.#guard.redacts) return text;
    const { valuesIn } = this.#guard;
    const stays = (value: string) => this.#context.isOwn(value);
    const redacted = yield* redactAnswered(text, { valuesIn, stays });
    for (const kind of redacted.kinds) this.#omittedAside.set(kind, (this.#omittedAside.get(kind) ?? 0) + 1);
    return redacted.text;
  }

  #settleAside(news: ReturnType<typeof judgeCall>): void {
    if (news === undefined) return;
    const verdict = withoutPlaces(this.#guard.weigh(news));
    this.#aside.add(verdict, 0);
    if (verdict.action === "refuse") throw refuseOutput(this.#guard.policy, verdict);
  }

  #watchOf(choice: number | undefined): ChoiceWatch {
    const known = this.#watches.get(choice ?? 0);
    if (known !== undefined) return known;
    const words = this.#watch(
      [...this.#followers(), ...this.#leaks()],
      (choice ?? 0) === 0,
      this.#context.wantsJson,
    );
    const watch = new ChoiceWatch(choice, words, () => this.#watch(this.#followers(), false));
    this.#watches.set(choice ?? 0, watch);
    return watch;
  }

  #watch(followers: readonly Follower[], tellsPlaces: boolean, isJson = false): OutputWatch {
    const stays = (value: string) => this.#context.isOwn(value);
    return new OutputWatch(this.#guard, followers, { stays, tellsPlaces, isJson });
  }

  #followers(): readonly Follower[] {
    return [...this.#guard.follow(), new LinkWatch(this.#context)];
  }

  /** A model that thinks repeats its instructions to itself. */
  #leaks(): readonly Follower[] {
    const { leakable } = this.#context;
    return leakable === undefined ? [] : [new PromptLeak(this.#context, leakable)];
  }
}

function isShort(part: Part): part is TextPart | ThinkingPart {
  return (part.type === "text" || part.type === "thinking") && part.text.length <= SHORT;
}

function withoutPlaces(verdict: Verdict): Verdict {
  return { ...verdict, spans: [] };
}
