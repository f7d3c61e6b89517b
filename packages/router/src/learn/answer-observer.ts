import type { AnswerForm } from "@trunkline/core/conversation.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { isObject } from "@trunkline/core/json-object.ts";
import type { FinishPart, Part } from "@trunkline/core/parts.ts";

/** A longer answer is not checked against its form, in characters. */
const MAX_CHECKED_CHARS = 256 * 1024;

/** What an answer itself shows about its quality. */
type AnswerVerdict = "kept its form" | "broke its form" | "no answer" | "unjudged";

/** Observes an answer while it streams and keeps only what its verdict needs. */
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
    if (part.type === "media" || part.type === "tool-call" || part.type === "embedding") this.#hasOther = true;
    if (part.type === "finish") this.#finish = part;
  }

  /** Whether the answer ended at its maximum length. */
  get isTruncated(): boolean {
    return this.#finish?.reason === "length";
  }

  verdict(): AnswerVerdict {
    if (this.#finish?.reason === "refused") return "no answer";
    // An answer that ended at the client's limit or stop word tells nothing about the model.
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

/** The limit of comparisons per answer. After it, the rest counts as valid. */
const MAX_COMPARISONS = 100_000;
const MAX_DEPTH = 64;

/**
 * Whether a value matches a JSON schema, checked as far as that is cheap: types, required fields, enums. Everything else
 * counts as valid: regular expressions of clients are never run.
 */
function matchesSchemaShape(value: unknown, schema: unknown): boolean {
  let comparisons = MAX_COMPARISONS;
  const fits = (part: unknown, form: unknown, depth: number): boolean => {
    if (!isObject(form) || depth > MAX_DEPTH) return true;
    comparisons -= costOf(form);
    if (comparisons < 0) return true;
    if (!isOfType(part, form.type)) return false;
    if (Array.isArray(form.enum) && !isOneOf(part, form.enum)) return false;
    if ("const" in form && !isOneOf(part, [form.const])) return false;
    if (Array.isArray(part)) return part.every((item) => fits(item, form.items, depth + 1));
    if (!isObject(part)) return true;
    if (Array.isArray(form.required) && !form.required.every((name) => Object.hasOwn(part, String(name)))) return false;
    const known = isObject(form.properties) ? form.properties : {};
    return Object.entries(part).every(([name, field]) =>
      Object.hasOwn(known, name)
        ? fits(field, known[name], depth + 1)
        : form.additionalProperties !== false || isObject(form.patternProperties),
    );
  };
  return fits(value, schema, 0);
}

/** Bounds the comparisons with one list of a schema. */
function costOf({ type, enum: allowed, required }: Readonly<Record<string, unknown>>): number {
  return [type, allowed, required].reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 0), 1);
}

function isOfType(value: unknown, type: unknown): boolean {
  if (Array.isArray(type)) return type.some((one) => isOfType(value, one));
  switch (type) {
    case "object":
      return isObject(value);
    case "array":
      return Array.isArray(value);
    case "string":
    case "boolean":
    case "number":
      return typeof value === type;
    case "integer":
      return typeof value === "number" && Number.isInteger(value);
    case "null":
      return value === null;
    default:
      return true;
  }
}

/** Only plain values are compared. */
function isOneOf(value: unknown, allowed: readonly unknown[]): boolean {
  return allowed.some((one) => one === value || (typeof one === "object" && one !== null));
}
