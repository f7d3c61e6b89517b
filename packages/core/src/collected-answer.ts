import { appendText } from "./append-text.ts";
import type { FinishPart, MediaPart, Part } from "./parts.ts";

const NO_PARTS: readonly Part[] = [];

/**
 * An answer after moderation, collected once while it passes. The bill, the idempotent run, the cache, the learner and
 * the reply all read it from here.
 */
export class CollectedAnswer {
  readonly #keepsParts: boolean;
  /** The first parts that came together. They are those of another list, which is not added to. */
  #first = NO_PARTS;
  /** All parts, where more came later. */
  #all: Part[] | undefined;
  #text = "";
  #output = "";
  #media: MediaPart | undefined;
  #hasEmbeddings = false;
  #hasToolCalls = false;
  #finish: FinishPart | undefined;

  /** `keepsParts`: a stream that is stored nowhere keeps only its text. */
  constructor(keepsParts: boolean) {
    this.#keepsParts = keepsParts;
  }

  static of(parts: Iterable<Part>): CollectedAnswer {
    const answer = new CollectedAnswer(true);
    answer.addAll([...parts]);
    return answer;
  }

  add(part: Part): void {
    this.addAll([part]);
  }

  /** Adds parts that came together, as a list that does not change any more. */
  addAll(parts: readonly Part[]): void {
    if (this.#keepsParts) this.#keep(parts);
    for (const part of parts) this.#read(part);
  }

  #keep(parts: readonly Part[]): void {
    if (this.#first.length === 0) {
      this.#first = parts;
      return;
    }
    this.#all ??= [...this.#first];
    for (const part of parts) this.#all.push(part);
  }

  #read(part: Part): void {
    switch (part.type) {
      case "text":
        if ((part.choice ?? 0) === 0) this.#text = appendText(this.#text, part.text);
        this.#output = appendText(this.#output, part.text);
        break;
      case "thinking":
        this.#output = appendText(this.#output, part.text);
        break;
      case "tool-call":
        if ((part.choice ?? 0) === 0) this.#hasToolCalls = true;
        this.#output = appendText(this.#output, part.arguments);
        break;
      case "media":
        this.#media ??= part;
        break;
      case "embedding":
        this.#hasEmbeddings = true;
        break;
      case "finish":
        if ((part.choice ?? 0) === 0) this.#finish = part;
        break;
      default:
    }
  }

  /** All parts in order; empty where they are not kept. */
  get parts(): readonly Part[] {
    return this.#all ?? this.#first;
  }

  /** The text of the first choice. */
  get text(): string {
    return this.#text;
  }

  /** Text, reasoning and tool arguments of all choices, in the order of arrival. */
  get output(): string {
    return this.#output;
  }

  /** The first image or sound. */
  get media(): MediaPart | undefined {
    return this.#media;
  }

  get hasMediaOrEmbeddings(): boolean {
    return this.#media !== undefined || this.#hasEmbeddings;
  }

  /** Of the first choice. */
  get hasToolCalls(): boolean {
    return this.#hasToolCalls;
  }

  /** How the first choice ended. */
  get finish(): FinishPart | undefined {
    return this.#finish;
  }
}
