import type { Inference } from "@trunkline/core/inference.ts";
import { TimeSlice } from "../time-slice.ts";
import type { PrivateValueKind } from "./candidates/private-value.ts";
import { EditableText, type SearchedPassage } from "./editable-text.ts";
import type { FindValues } from "./find-private-data.ts";
import { mapRequestTexts, type TextFormat } from "./map-request-texts.ts";

/** The maximum length of a placeholder, which bounds what a stream holds back. */
const PLACEHOLDER_CHARACTERS_MAX = 64;
const PLACEHOLDER = /\[[A-Z]{2,16}(?:_[A-Z]{2,16}){0,2}_\d{1,7}\]/g;

/**
 * The values redacted from one request, each with its placeholder. Lives as long as the request and is never persisted.
 */
export class Redactions {
  /** undefined: nothing was redacted, as in most requests. */
  #assigned: AssignedPlaceholders | undefined;
  /** The placeholders that are taken. */
  #used: Set<string> | undefined;

  get isEmpty(): boolean {
    return this.#assigned === undefined;
  }

  /** The number of redacted values by kind. Nothing else about them may be reported. */
  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#assigned?.counts ?? []);
  }

  get placeholders(): readonly string[] {
    return this.#assigned === undefined ? NONE : [...this.#assigned.values.keys()];
  }

  get byPlaceholder(): ReadonlyMap<string, string> {
    return this.#assigned?.values ?? NO_VALUES;
  }

  get values(): readonly string[] {
    return this.#assigned === undefined ? NONE : [...this.#assigned.placeholders.keys()];
  }

  /** Placeholders in the caller's own text stay as they are and are never assigned. */
  reserve(text: string): void {
    this.#used ??= new Set();
    for (const [placeholder] of text.matchAll(PLACEHOLDER)) this.#used.add(placeholder);
  }

  /** The same value always gets the same placeholder. */
  assignPlaceholder(kind: PrivateValueKind, value: string): string {
    this.#assigned ??= { placeholders: new Map(), values: new Map(), counts: new Map(), next: new Map() };
    this.#used ??= new Set();
    const { placeholders, values, counts, next } = this.#assigned;
    const known = placeholders.get(value);
    if (known !== undefined) return known;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    let number = next.get(kind) ?? 1;
    while (this.#used.has(formatPlaceholder(kind, number))) number += 1;
    next.set(kind, number + 1);
    const fresh = formatPlaceholder(kind, number);
    this.#used.add(fresh);
    placeholders.set(value, fresh);
    values.set(fresh, value);
    return fresh;
  }

  placeholderOf(value: string): string | undefined {
    return this.#assigned?.placeholders.get(value);
  }
}

interface AssignedPlaceholders {
  /** The placeholder of each value, and the value of each placeholder. */
  readonly placeholders: Map<string, string>;
  readonly values: Map<string, string>;
  readonly counts: Map<PrivateValueKind, number>;
  /** Where the search for a free number continues, so that no number is tried twice. */
  readonly next: Map<PrivateValueKind, number>;
}

const NONE: readonly string[] = [];
const NO_VALUES: ReadonlyMap<string, string> = new Map();

function formatPlaceholder(kind: PrivateValueKind, number: number): string {
  return `[${kind.toUpperCase()}_${number}]`;
}

interface RedactedRequest {
  /** The request to send; the original object if nothing was redacted. */
  readonly inference: Inference;
  readonly redactions: Redactions;
}

/**
 * The number of values that are replaced wherever they recur. Any further values are replaced only where they were
 * found.
 */
const REPEATED_MAX = 64;
/** Shorter values also occur inside other words. */
const REPEATED_LENGTH_MIN = 6;
/** In shorter passages all values are replaced at once. */
const LONG_PASSAGE_CHARACTERS = 1_024;
/** The number of characters searched for placeholders at once. */
const RESERVE_CHARACTERS = 32_768;

/** Replaces every private value in all texts that a provider would read by a placeholder. */
export async function redactRequest(inference: Inference, findValues: FindValues): Promise<RedactedRequest> {
  const redactions = new Redactions();
  const timeSlice = new TimeSlice();
  const texts: RequestText[] = [];
  for (const { text, textFormat } of distinctTexts(inference)) {
    if (timeSlice.isUsedUp) await timeSlice.yieldToEventLoop();
    const editableText = new EditableText(findValues, text, textFormat);
    while (editableText.next()) if (timeSlice.isUsedUp) await timeSlice.yieldToEventLoop();
    texts.push({ text, textFormat, editableText });
  }
  const passages = texts.flatMap(({ editableText }) => editableText.passages);
  if (passages.every(({ found }) => found.length === 0)) return { inference, redactions };
  for (const { text } of passages) {
    for (let start = 0; start < text.length; start += RESERVE_CHARACTERS) {
      redactions.reserve(text.slice(start, start + RESERVE_CHARACTERS + PLACEHOLDER_CHARACTERS_MAX));
      if (timeSlice.isUsedUp) await timeSlice.yieldToEventLoop();
    }
  }
  for (const { text, found } of passages) {
    for (const { kind, start, end } of found) redactions.assignPlaceholder(kind, text.slice(start, end));
    if (timeSlice.isUsedUp) await timeSlice.yieldToEventLoop();
  }
  // A value that a label identified once may recur without it.
  const repeated = redactions.values
    .filter(({ length }) => length >= REPEATED_LENGTH_MIN)
    .slice(0, REPEATED_MAX)
    .sort((a, b) => b.length - a.length);
  const written = { plain: new Map<string, string>(), json: new Map<string, string>() };
  for (const { text, textFormat, editableText } of texts) {
    const changed: string[] = [];
    for (const passage of editableText.passages) {
      let result = replaceFound(passage, redactions);
      for (const value of repeated) {
        if (result.length >= LONG_PASSAGE_CHARACTERS && timeSlice.isUsedUp) await timeSlice.yieldToEventLoop();
        if (result.includes(value)) result = result.replaceAll(value, () => redactions.placeholderOf(value) ?? value);
      }
      changed.push(result);
      if (timeSlice.isUsedUp) await timeSlice.yieldToEventLoop();
    }
    written[textFormat].set(text, editableText.rewrite(changed));
  }
  const sent = mapRequestTexts(inference, (text, textFormat) => written[textFormat].get(text) ?? text);
  return { inference: sent, redactions };
}

interface RequestText {
  readonly text: string;
  readonly textFormat: TextFormat;
  readonly editableText: EditableText;
}

/** All texts of a request in order, each once. */
function distinctTexts(inference: Inference) {
  const known = { plain: new Set<string>(), json: new Set<string>() };
  const texts: { readonly text: string; readonly textFormat: TextFormat }[] = [];
  mapRequestTexts(inference, (text, textFormat) => {
    if (!known[textFormat].has(text)) texts.push({ text, textFormat });
    known[textFormat].add(text);
    return text;
  });
  return texts;
}

function replaceFound({ text, found }: SearchedPassage, redactions: Redactions): string {
  if (found.length === 0) return text;
  let result = "";
  let done = 0;
  for (const { kind, start, end } of found) {
    result += text.slice(done, start) + redactions.assignPlaceholder(kind, text.slice(start, end));
    done = end;
  }
  return result + text.slice(done);
}

/** Escapes a value for use inside a JSON string. */
export function escapeJson(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}
