import { isRedactable } from "@trunkline/core/safety-policy.ts";
import type { Span, Verdict } from "@trunkline/core/verdict.ts";
import { actionFor, type SafetyPolicy } from "../policy/policy.ts";
import { EditableText } from "../private-data/editable-text.ts";
import { type FindValues, findWithEscapes } from "../private-data/find-private-data.ts";
import type { TextRange } from "../text-range.ts";
import type { JsonPosition } from "./json-position.ts";

/** How far back a value may be found again after it was redacted. */
const FOUND_AGAIN_CHARACTERS = 512;

interface OutputRedaction {
  readonly start: number;
  end: number;
  readonly kind: string;
  /** The maximum end of this one and those before it. */
  reach: number;
  isMarked: boolean;
  /** Whether it begins in a JSON string. */
  isInString: boolean;
}

/** The values to redact from a text that is released piece by piece. */
export class OutputRedactions {
  /** Ordered by start. */
  #pending: OutputRedaction[] = [];
  readonly #counts = new Map<string, number>();
  readonly #json: JsonPosition | undefined;

  /** `json`: JSON in the text must stay valid. */
  constructor(json?: JsonPosition) {
    this.#json = json;
  }

  /** The number of redacted values by kind. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  /** Adds the values of a verdict that the policy redacts, except exempt ones. A value that grew is still the same. */
  collect(policy: SafetyPolicy, { spans, categories }: Verdict, isExempt: (span: Span) => boolean): void {
    for (const span of spans) {
      if (!isRedactable(span.category)) continue;
      const action = actionFor(policy, span.category, categories[span.category] ?? 0);
      if (action === "redact" && !isExempt(span)) this.#add(span);
    }
  }

  #add({ category, kind = category, start, end }: Span): void {
    // Of those that end after its start, only the first can overlap it.
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

  /** Binary search for the first for which a monotonic condition holds. */
  #firstIndex(condition: (outputRedaction: OutputRedaction) => boolean): number {
    let [low, high] = [0, this.#pending.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const outputRedaction = this.#pending[middle];
      if (outputRedaction !== undefined && condition(outputRedaction)) high = middle;
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

  /** The piece of the text that begins at `offset`, redacted. */
  leaveOut(text: string, offset: number): string {
    if (this.#pending.length === 0 || text === "") return this.#pass(text);
    const end = offset + text.length;
    let result = "";
    let at = offset;
    for (const [index, outputRedaction] of this.#pending.entries()) {
      if (outputRedaction.start >= end) break;
      if (outputRedaction.end <= at) continue;
      const start = Math.max(at, outputRedaction.start);
      result += this.#pass(text.slice(at - offset, start - offset));
      at = start;
      while (!outputRedaction.isMarked && at < Math.min(end, outputRedaction.end) && this.#json?.isInEscape === true) {
        result += this.#pass(text.charAt(at - offset));
        at += 1;
      }
      if (at === Math.min(end, outputRedaction.end)) continue;
      if (!outputRedaction.isMarked) {
        result += this.#markerFor(outputRedaction.kind, text.charAt(at - offset));
        outputRedaction.isInString = this.#json?.isInString === true;
      }
      outputRedaction.isMarked = true;
      while (at < end && (at < outputRedaction.end || this.#json?.isInEscape === true)) {
        const last = Math.max(at + 1, Math.min(end, outputRedaction.end));
        result += this.#jsonFrame(text.slice(at - offset, last - offset), outputRedaction.isInString);
        at = last;
      }
      // Half of an escape would be left: its end is redacted too.
      if (this.#json?.isInEscape === true) {
        outputRedaction.end = Math.max(outputRedaction.end, at + 1);
        this.#updateReach(index);
      }
    }
    // A value that ends here may still grow, or be found again.
    this.#pending = this.#pending.filter((outputRedaction) => outputRedaction.end >= end - FOUND_AGAIN_CHARACTERS);
    return result + this.#pass(text.slice(at - offset));
  }

  /** What remains of a redacted value that extends beyond its string: the characters that keep the JSON valid. */
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

  /** In place of a JSON number the marker is a string. */
  #markerFor(kind: string, first: string): string {
    const marker = redactionMarker(kind);
    return this.#json?.isBeforeValue === true && /[-\d]/.test(first) ? `"${marker}"` : marker;
  }
}

/**
 * Finds the values in the arguments of a tool call. Anything but JSON is treated as plain text. Escapes are decoded
 * there too, and in JSON inside a string.
 */
export function searchToolArguments(json: string, findValues: FindValues): EditableText {
  return new EditableText((words) => findWithEscapes(findValues, words), json, "json");
}

interface RedactedArguments {
  readonly text: string;
  /** The kinds of the redacted values. */
  readonly kinds: readonly string[];
}

/** Redacts the values that were found, except exempt ones. JSON stays valid. */
export function redactToolArguments(
  editableText: EditableText,
  isExempt: (value: string) => boolean,
): RedactedArguments {
  const kinds: string[] = [];
  const texts = editableText.passages.map(({ text, found }) => {
    const toRedact = found.filter(({ start, end }) => !isExempt(text.slice(start, end)));
    for (const { kind } of toRedact) kinds.push(kind);
    return redactText(text, toRedact);
  });
  return { text: editableText.rewrite(texts), kinds };
}

/** A value to redact. */
interface RedactableValue extends TextRange {
  readonly kind: string;
}

/** The marker for a value that the model produced itself. It is never restored. */
function redactionMarker(kind: string): string {
  return `[REDACTED_${kind.toUpperCase()}]`;
}

/** Redacts values that are ordered and do not overlap. */
export function redactText(text: string, found: readonly RedactableValue[]): string {
  let result = "";
  let done = 0;
  for (const { kind, start, end } of found) {
    result += text.slice(done, start) + redactionMarker(kind);
    done = end;
  }
  return result + text.slice(done);
}
