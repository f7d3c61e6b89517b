import type { Part, TextPart, ThinkingPart } from "../../domain/answer.ts";
import type { Verdict } from "../../domain/verdict.ts";
import type { Guard } from "../guard.ts";
import { VerdictTally } from "../verdict-tally.ts";
import { OutputWatch } from "./output-watch.ts";

/** What is watched of one choice. Thoughts have a watch of their own, so that they never push out words that are held back. */
interface ChoiceWatch {
  readonly choice: number | undefined;
  readonly words: OutputWatch;
  readonly thoughts: OutputWatch;
}

/** Follows all choices of an answer, each on its own, and lets go of the parts that are safe. */
export class AnswerWatch {
  readonly #guard: Guard;
  readonly #watches = new Map<number, ChoiceWatch>();

  constructor(guard: Guard) {
    this.#guard = guard;
  }

  /** What was made of the answer so far. Places are told of the first choice's words alone: they point into its text. */
  get verdict(): Verdict {
    const tally = new VerdictTally();
    for (const [choice, { words, thoughts }] of this.#watches) {
      tally.add(choice === 0 ? words.verdict : withoutPlaces(words.verdict), 0);
      tally.add(withoutPlaces(thoughts.verdict), 0);
    }
    return tally.verdict();
  }

  /** Takes the next part and gives back what can be passed on, or throws the refusal. */
  *read(part: Part): Generator<Part> {
    switch (part.type) {
      case "text": {
        const watch = this.#watchOf(part.choice);
        // Once it speaks it has thought: nothing more can come that its last thoughts would lead up to.
        yield* thoughtsOf(watch, watch.thoughts.flush());
        yield* wordsOf(watch, watch.words.read(part.text));
        return;
      }
      case "thinking":
        yield* this.#readThought(part);
        return;
      case "tool-call": {
        const watch = this.#watchOf(part.choice);
        yield* flush(watch);
        watch.words.judgeAside(part.arguments);
        yield part;
        return;
      }
      case "logprobs":
      case "finish":
        yield* flush(this.#watchOf(part.choice));
        yield part;
        return;
      default:
        yield* this.flush();
        yield part;
    }
  }

  /** Judges what is left of every choice and gives it all back. */
  *flush(): Generator<Part> {
    for (const watch of this.#watches.values()) yield* flush(watch);
  }

  *#readThought(part: ThinkingPart): Generator<Part> {
    const watch = this.#watchOf(part.choice);
    const released = watch.thoughts.read(part.text);
    const isLastPiece = part.signature !== undefined || part.sealed !== undefined;
    if (isLastPiece) yield { ...part, text: released + watch.thoughts.flush() };
    else yield* thoughtsOf(watch, released);
  }

  #watchOf(choice: number | undefined): ChoiceWatch {
    const known = this.#watches.get(choice ?? 0);
    if (known !== undefined) return known;
    const watch = {
      choice,
      words: new OutputWatch(this.#guard, (choice ?? 0) === 0),
      thoughts: new OutputWatch(this.#guard, false),
    };
    this.#watches.set(choice ?? 0, watch);
    return watch;
  }
}

function* flush(watch: ChoiceWatch): Generator<Part> {
  yield* thoughtsOf(watch, watch.thoughts.flush());
  yield* wordsOf(watch, watch.words.flush());
}

function* wordsOf({ choice }: ChoiceWatch, text: string): Generator<TextPart> {
  if (text !== "") yield { type: "text", text, ...(choice === undefined ? {} : { choice }) };
}

function* thoughtsOf({ choice }: ChoiceWatch, text: string): Generator<ThinkingPart> {
  if (text !== "") yield { type: "thinking", text, ...(choice === undefined ? {} : { choice }) };
}

function withoutPlaces(verdict: Verdict): Verdict {
  return { ...verdict, spans: [] };
}
