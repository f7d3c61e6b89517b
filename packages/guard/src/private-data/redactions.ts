import type { Inference } from "@trunkline/core/inference.ts";
import { RESUMABLE_MIN_CHARACTERS, type Resumable, TimeSlice } from "../resumable.ts";
import { type EditableText, parseEditableText, type SearchedPassage } from "./editable-text.ts";
import type { FindValues } from "./find-private-data.ts";
import { mapRequestTexts, type TextFormat } from "./map-request-texts.ts";
import type { PrivateValueKind } from "./private-value.ts";

/** The maximum length of a placeholder, which bounds what a stream holds back. */
const PLACEHOLDER_CHARACTERS_MAX = 64;
const PLACEHOLDER = /\[[A-Z]{2,16}(?:_[A-Z]{2,16}){0,2}_\d{1,7}\]/g;

/** The number of characters searched per step. */
const RESERVE_STEP_CHARACTERS = 32_768;

/**
 * The values redacted from one request, each with its placeholder. Lives as long as the request and is never persisted.
 */
export class Redactions {
  readonly #placeholders = new Map<string, string>();
  readonly #values = new Map<string, string>();
  readonly #used = new Set<string>();
  readonly #counts = new Map<PrivateValueKind, number>();
  /** Where the search for a free number continues, so that no number is tried twice. */
  readonly #next = new Map<PrivateValueKind, number>();

  get isEmpty(): boolean {
    return this.#values.size === 0;
  }

  /** The number of redacted values by kind. Nothing else about them may be reported. */
  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  get placeholders(): readonly string[] {
    return [...this.#values.keys()];
  }

  get byPlaceholder(): ReadonlyMap<string, string> {
    return this.#values;
  }

  get values(): readonly string[] {
    return [...this.#placeholders.keys()];
  }

  /** Placeholders in the caller's own text stay as they are and are never assigned. */
  *reserve(text: string): Resumable<void> {
    for (let start = 0; start < text.length; start += RESERVE_STEP_CHARACTERS) {
      if (start > 0) yield;
      const piece = text.slice(start, start + RESERVE_STEP_CHARACTERS + PLACEHOLDER_CHARACTERS_MAX);
      for (const [placeholder] of piece.matchAll(PLACEHOLDER)) this.#used.add(placeholder);
    }
  }

  /** The same value always gets the same placeholder. */
  assignPlaceholder(kind: PrivateValueKind, value: string): string {
    const known = this.#placeholders.get(value);
    if (known !== undefined) return known;
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
    let number = this.#next.get(kind) ?? 1;
    while (this.#used.has(formatPlaceholder(kind, number))) number += 1;
    this.#next.set(kind, number + 1);
    const fresh = formatPlaceholder(kind, number);
    this.#used.add(fresh);
    this.#placeholders.set(value, fresh);
    this.#values.set(fresh, value);
    return fresh;
  }

  placeholderOf(value: string): string | undefined {
    return this.#placeholders.get(value);
  }
}

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
/** The number of values replaced per step. */
const VALUES_PER_STEP = 256;

/** Replaces every private value in all texts that a provider would read by a placeholder. */
export async function redactRequest(inference: Inference, findValues: FindValues): Promise<RedactedRequest> {
  const redactions = new Redactions();
  const timeSlice = new TimeSlice();
  const texts = distinctTexts(inference);
  const editableTexts = { plain: new Map<string, EditableText>(), json: new Map<string, EditableText>() };
  for (const { text, textFormat } of texts)
    editableTexts[textFormat].set(text, await timeSlice.run(parseEditableText(findValues, text, textFormat)));
  const all = texts.flatMap(({ text, textFormat }) => editableTexts[textFormat].get(text) ?? []);
  const searchedPassages = all.flatMap((editableText) => editableText.passages);
  if (searchedPassages.every(({ found }) => found.length === 0)) return { inference, redactions };
  for (const { text } of searchedPassages) await timeSlice.run(redactions.reserve(text));
  for (const searchedPassage of searchedPassages) await timeSlice.run(replaceFound(searchedPassage, redactions));
  const repeated = redactions.values
    .filter(({ length }) => length >= REPEATED_LENGTH_MIN)
    .slice(0, REPEATED_MAX)
    .sort((a, b) => b.length - a.length);
  const withoutValues = (searchedPassage: SearchedPassage) => replaceAllValues(searchedPassage, repeated, redactions);
  const written = { plain: new Map<string, string>(), json: new Map<string, string>() };
  for (const { text, textFormat } of texts) {
    const editableText = editableTexts[textFormat].get(text);
    if (editableText !== undefined)
      written[textFormat].set(text, await timeSlice.run(editableText.rewrite(withoutValues)));
  }
  const sent = mapRequestTexts(inference, (text, textFormat) => written[textFormat].get(text) ?? text);
  return { inference: sent, redactions };
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

function* replaceFound({ text, found }: SearchedPassage, redactions: Redactions): Resumable<string> {
  let result = "";
  let done = 0;
  for (const [index, { kind, start, end }] of found.entries()) {
    if (index % VALUES_PER_STEP === VALUES_PER_STEP - 1) yield;
    result += text.slice(done, start) + redactions.assignPlaceholder(kind, text.slice(start, end));
    done = end;
  }
  return result + text.slice(done);
}

/** A value that a label identified once may recur without it. */
function* replaceAllValues(
  searchedPassage: SearchedPassage,
  values: readonly string[],
  redactions: Redactions,
): Resumable<string> {
  let result = yield* replaceFound(searchedPassage, redactions);
  for (const value of values) {
    if (result.length >= RESUMABLE_MIN_CHARACTERS) yield;
    const placeholder = redactions.placeholderOf(value);
    if (placeholder !== undefined && result.includes(value)) result = result.split(value).join(placeholder);
  }
  return result;
}

/** Escapes a value for use inside a JSON string. */
export function escapeJson(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}
