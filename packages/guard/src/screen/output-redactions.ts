import { isRedactable } from "@trunkline/core/safety-policy.ts";
import type { Span, Verdict } from "@trunkline/core/verdict.ts";
import { actionFor, type SafetyPolicy } from "../policy/policy.ts";
import { parseEditableText } from "../private-data/editable-text.ts";
import { type FindValues, findWithEscapesResumable } from "../private-data/find-private-data.ts";
import { RESUMABLE_MIN_CHARACTERS, type Resumable } from "../resumable.ts";
import type { JsonPosition } from "./json-position.ts";

/** How far back a value is found again that was left out already. */
const FOUND_AGAIN_CHARACTERS = 512;

interface OutputRedaction {
  readonly start: number;
  end: number;
  readonly kind: string;
  /** How far this one and those before it go. */
  reach: number;
  isMarked: boolean;
  /** Whether it begins in a string of JSON's. */
  isInString: boolean;
}

/** What is to be left out of a text that is given out piece by piece, and what is said instead. */
export class OutputRedactions {
  /** In order of their starts. */
  #pending: OutputRedaction[] = [];
  readonly #counts = new Map<string, number>();
  readonly #json: JsonPosition | undefined;

  /** `json`: what is JSON in the text is to stay so. */
  constructor(json?: JsonPosition) {
    this.#json = json;
  }

  /** How many values of each kind are left out. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  /** The values of a verdict that the policy wants to be taken out, but for those that are to stay. One that grew is still the same. */
  collect(policy: SafetyPolicy, { spans, categories }: Verdict, stays: (span: Span) => boolean): void {
    for (const span of spans) {
      if (!isRedactable(span.category)) continue;
      const action = actionFor(policy, span.category, categories[span.category] ?? 0);
      if (action === "redact" && !stays(span)) this.#add(span);
    }
  }

  #add({ category, kind = category, start, end }: Span): void {
    // Of those that go on beyond its start, the first one or none at all overlaps it.
    const first = this.#firstIndex((known) => known.reach > start);
    const overlapping = this.#pending[first];
    if (overlapping !== undefined && end > overlapping.start) {
      overlapping.end = Math.max(overlapping.end, end);
      this.#updateReach(first);
      return;
    }
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
    const place = this.#firstIndex((known) => known.start > start);
    this.#pending.splice(place, 0, { start, end, kind, reach: end, isMarked: false, isInString: false });
    this.#updateReach(place);
  }

  /** The place of the first of which something is true that is then true of all after it. */
  #firstIndex(isSo: (outputRedaction: OutputRedaction) => boolean): number {
    let [low, high] = [0, this.#pending.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const outputRedaction = this.#pending[middle];
      if (outputRedaction !== undefined && isSo(outputRedaction)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #updateReach(place: number): void {
    let reach = this.#pending[place - 1]?.reach ?? 0;
    for (const outputRedaction of this.#pending.slice(place)) {
      reach = Math.max(reach, outputRedaction.end);
      outputRedaction.reach = reach;
    }
  }

  /** A piece of the text that begins at `offset`, without them. */
  leaveOut(text: string, offset: number): string {
    if (this.#pending.length === 0 || text === "") return this.#pass(text);
    const end = offset + text.length;
    let kept = "";
    let at = offset;
    for (const [index, outputRedaction] of this.#pending.entries()) {
      if (outputRedaction.start >= end) break;
      if (outputRedaction.end <= at) continue;
      const start = Math.max(at, outputRedaction.start);
      kept += this.#pass(text.slice(at - offset, start - offset));
      at = start;
      while (!outputRedaction.isMarked && at < Math.min(end, outputRedaction.end) && this.#json?.isInEscape === true) {
        kept += this.#pass(text.charAt(at - offset));
        at += 1;
      }
      if (at === Math.min(end, outputRedaction.end)) continue;
      if (!outputRedaction.isMarked) {
        kept += this.#markerFor(outputRedaction.kind, text.charAt(at - offset));
        outputRedaction.isInString = this.#json?.isInString === true;
      }
      outputRedaction.isMarked = true;
      while (at < end && (at < outputRedaction.end || this.#json?.isInEscape === true)) {
        const last = Math.max(at + 1, Math.min(end, outputRedaction.end));
        kept += this.#jsonFrame(text.slice(at - offset, last - offset), outputRedaction.isInString);
        at = last;
      }
      // Half an escape would be left behind: its end goes, too.
      if (this.#json?.isInEscape === true) {
        outputRedaction.end = Math.max(outputRedaction.end, at + 1);
        this.#updateReach(index);
      }
    }
    // One that ends here may still grow, and what was said once may be found again.
    this.#pending = this.#pending.filter((outputRedaction) => outputRedaction.end >= end - FOUND_AGAIN_CHARACTERS);
    return kept + this.#pass(text.slice(at - offset));
  }

  /** What stays of something that is left out: where it goes on beyond its string, what holds the JSON together. */
  #jsonFrame(text: string, isInString: boolean): string {
    const json = this.#json;
    if (json === undefined) return "";
    if (!isInString || (json.isInString && !text.includes('"'))) {
      json.read(text);
      return "";
    }
    let frame = "";
    for (const character of text.split("")) {
      const wasInString = json.isInString;
      const wasBetween = json.isInsideJson && !wasInString;
      json.read(character);
      const isClosed = character === '"' && wasInString && !json.isInString;
      if (wasBetween || isClosed) frame += character;
    }
    return frame;
  }

  #pass(text: string): string {
    this.#json?.read(text);
    return text;
  }

  /** In the place of a number of JSON's it is a string. */
  #markerFor(kind: string, first: string): string {
    const mark = redactionMarker(kind);
    return this.#json?.isBeforeValue === true && /[-\d]/.test(first) ? `"${mark}"` : mark;
  }
}

interface ToolRedactionOptions {
  /** The values in a text that are to be taken out, in order. */
  readonly findValues: FindValues;
  /** Whether one stays all the same. */
  readonly isExempt: (value: string) => boolean;
}

interface RedactedArguments {
  readonly text: string;
  /** What was taken out. */
  readonly kinds: readonly string[];
}

/**
 * What a tool is called with, without the values in it. It stays JSON if it is; what is none is read as plain words. Escapes
 * are undone there as well, and in JSON that stands in a string.
 */
export function* redactToolArguments(
  json: string,
  { findValues: valuesIn, isExempt: stays }: ToolRedactionOptions,
): Resumable<RedactedArguments> {
  const kinds: string[] = [];
  const editableText = yield* parseEditableText((words) => findWithEscapesResumable(valuesIn, words), json, "json");
  const text = yield* editableText.rewrite(function* (searchedPassage) {
    if (searchedPassage.text.length >= RESUMABLE_MIN_CHARACTERS) yield;
    const leaving = searchedPassage.found.filter(({ start, end }) => !stays(searchedPassage.text.slice(start, end)));
    for (const { kind } of leaving) kinds.push(kind);
    return redactText(searchedPassage.text, leaving);
  });
  return { text, kinds };
}

/** A value that an answer must not hold. */
interface RedactableValue {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

/** What stands in an answer for a value that the model said of its own. Nothing brings the value back. */
function redactionMarker(kind: string): string {
  return `[REDACTED_${kind.toUpperCase()}]`;
}

/** A text without the values that were found in it, which are in order and apart. */
export function redactText(text: string, found: readonly RedactableValue[]): string {
  let result = "";
  let done = 0;
  for (const { kind, start, end } of found) {
    result += text.slice(done, start) + redactionMarker(kind);
    done = end;
  }
  return result + text.slice(done);
}
