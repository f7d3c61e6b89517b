import type { FinishPart, Part } from "@trunkline/core/answer.ts";
import type { AnswerForm } from "@trunkline/core/conversation.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { matchesSchemaShape } from "./fits-schema.ts";

/** A longer answer is not checked against its form. In characters. */
const MAX_CHECKED_CHARS = 256 * 1024;

/** What an answer shows of its own quality, without anybody saying so. */
export type AnswerVerdict = "kept its form" | "broke its form" | "no answer" | "unjudged";

/** Hears an answer as it is given, and keeps of it only what its judgement needs. */
export class AnswerObserver {
  readonly #form: AnswerForm | undefined;
  #text = "";
  #isTooLong = false;
  #hasText = false;
  #hasOther = false;
  #finish: FinishPart | undefined;

  constructor({ conversation }: Pick<Inference, "conversation">) {
    this.#form = conversation.answerForm;
  }

  observe(part: Part): void {
    if ("choice" in part && part.choice !== undefined && part.choice !== 0) return;
    if (part.type === "text") this.#observeText(part.text);
    if (part.type === "media" || part.type === "tool-call" || part.type === "embedding")
      this.#hasOther = true;
    if (part.type === "finish") this.#finish = part;
  }

  /** Whether the answer ended because it was as long as it might become. */
  get isTruncated(): boolean {
    return this.#finish?.reason === "length";
  }

  verdict(): AnswerVerdict {
    if (this.#finish?.reason === "refused") return "no answer";
    // What the client's own limit or word ended says nothing of the model.
    if (this.isTruncated || this.#finish?.stopSequence !== undefined || this.#hasOther) return "unjudged";
    if (!this.#hasText) return "no answer";
    if (this.#form === undefined || this.#isTooLong) return "unjudged";
    return matchesForm(this.#text, this.#form) ? "kept its form" : "broke its form";
  }

  #observeText(text: string): void {
    if (!this.#hasText && text.trim() !== "") this.#hasText = true;
    if (this.#form === undefined || this.#isTooLong) return;
    this.#isTooLong = this.#text.length + text.length > MAX_CHECKED_CHARS;
    this.#text = this.#isTooLong ? "" : this.#text + text;
  }
}

function matchesForm(text: string, form: AnswerForm): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return form.type === "json" || matchesSchemaShape(value, form.schema);
  } catch {
    return false;
  }
}
