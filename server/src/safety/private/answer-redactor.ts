import type { Part } from "../../domain/answer.ts";
import type { Verdict } from "../../domain/verdict.ts";
import type { Guard } from "../guard.ts";
import type { PrivateDatum, PrivateKind } from "./private-datum.ts";
import { redactOut } from "./redact-out.ts";
import { UtteranceRedactor } from "./utterance-redactor.ts";

interface ChoiceRedactor {
  readonly choice: number | undefined;
  readonly words: UtteranceRedactor;
  readonly thoughts: UtteranceRedactor;
}

/** Takes values out of all choices of an answer, where the policy says so: what the model said of its own, not what the caller gave. */
export class AnswerRedactor {
  readonly #redacts: boolean;
  readonly #find: (text: string) => readonly PrivateDatum[];
  readonly #choices = new Map<number, ChoiceRedactor>();
  readonly #counts = new Map<PrivateKind, number>();

  constructor(guard: Guard, isKnown: (value: string) => boolean) {
    this.#redacts = guard.redacts;
    this.#find = (text) => guard.valuesIn(text).filter(({ start, end }) => !isKnown(text.slice(start, end)));
  }

  /** A verdict with what was taken out. */
  told(verdict: Verdict): Verdict {
    return this.#counts.size === 0 ? verdict : { ...verdict, redacted: Object.fromEntries(this.#counts) };
  }

  /** Takes the next part and gives back what can be passed on. */
  *read(part: Part): Generator<Part> {
    if (!this.#redacts) return yield part;
    switch (part.type) {
      case "text": {
        const text = this.#of(part.choice).words.read(part.text);
        if (text !== "") yield { ...part, text };
        return;
      }
      case "thinking": {
        const { thoughts } = this.#of(part.choice);
        const isLastPiece = part.signature !== undefined || part.sealed !== undefined;
        const text = thoughts.read(part.text) + (isLastPiece ? thoughts.flush() : "");
        if (text !== "" || isLastPiece) yield { ...part, text };
        return;
      }
      case "tool-call":
        yield* this.#flushChoice(this.#of(part.choice));
        yield { ...part, arguments: this.#redacted(part.arguments) };
        return;
      case "logprobs":
        yield* this.#flushChoice(this.#of(part.choice));
        // They spell out what was taken out.
        if (this.#counts.size === 0) yield part;
        return;
      case "finish":
        yield* this.#flushChoice(this.#of(part.choice));
        yield part;
        return;
      default:
        yield* this.flush();
        yield part;
    }
  }

  *flush(): Generator<Part> {
    for (const choice of this.#choices.values()) yield* this.#flushChoice(choice);
  }

  #redacted(text: string): string {
    const found = this.#find(text);
    for (const { kind } of found) this.#count(kind);
    return redactOut(text, found);
  }

  #count(kind: PrivateKind): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  }

  #of(choice: number | undefined): ChoiceRedactor {
    const known = this.#choices.get(choice ?? 0);
    if (known !== undefined) return known;
    const fresh = () => new UtteranceRedactor(this.#find, (kind) => this.#count(kind));
    const redactor = { choice, words: fresh(), thoughts: fresh() };
    this.#choices.set(choice ?? 0, redactor);
    return redactor;
  }

  *#flushChoice({ choice, words, thoughts }: ChoiceRedactor): Generator<Part> {
    const of = choice === undefined ? {} : { choice };
    const thought = thoughts.flush();
    if (thought !== "") yield { type: "thinking", text: thought, ...of };
    const text = words.flush();
    if (text !== "") yield { type: "text", text, ...of };
  }
}
