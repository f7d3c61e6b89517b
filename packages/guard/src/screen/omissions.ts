import { isRedactable } from "@trunkline/core/safety-category.ts";
import type { Span, Verdict } from "@trunkline/core/verdict.ts";
import { actionFor, type SafetyPolicy } from "../policy/policy.ts";
import type { JsonPlace } from "./json-position.ts";
import { markOf } from "./redact-out.ts";

/** How far back a value is found again that was left out already. */
const FOUND_AGAIN = 512;

interface Omission {
  readonly start: number;
  end: number;
  readonly kind: string;
  /** How far this one and those before it go. */
  reach: number;
  isSaid: boolean;
  /** Whether it begins in a string of JSON's. */
  isInString: boolean;
}

/** What is to be left out of a text that is given out piece by piece, and what is said instead. */
export class Omissions {
  /** In order of their starts. */
  #pending: Omission[] = [];
  readonly #counts = new Map<string, number>();
  readonly #json: JsonPlace | undefined;

  /** `json`: what is JSON in the text is to stay so. */
  constructor(json?: JsonPlace) {
    this.#json = json;
  }

  /** How many values of each kind are left out. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  /** The values of a verdict that the policy wants to be taken out, but for those that are to stay. One that grew is still the same. */
  note(policy: SafetyPolicy, { spans, categories }: Verdict, stays: (span: Span) => boolean): void {
    for (const span of spans) {
      if (!isRedactable(span.category)) continue;
      const action = actionFor(policy, span.category, categories[span.category] ?? 0);
      if (action === "redact" && !stays(span)) this.#add(span);
    }
  }

  #add({ category, kind = category, start, end }: Span): void {
    // Of those that go on beyond its start, the first one or none at all overlaps it.
    const first = this.#firstOf((known) => known.reach > start);
    const overlapping = this.#pending[first];
    if (overlapping !== undefined && end > overlapping.start) {
      overlapping.end = Math.max(overlapping.end, end);
      this.#reachFrom(first);
      return;
    }
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
    const place = this.#firstOf((known) => known.start > start);
    this.#pending.splice(place, 0, { start, end, kind, reach: end, isSaid: false, isInString: false });
    this.#reachFrom(place);
  }

  /** The place of the first of which something is true that is then true of all after it. */
  #firstOf(isSo: (omission: Omission) => boolean): number {
    let [low, high] = [0, this.#pending.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const omission = this.#pending[middle];
      if (omission !== undefined && isSo(omission)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #reachFrom(place: number): void {
    let reach = this.#pending[place - 1]?.reach ?? 0;
    for (const omission of this.#pending.slice(place)) {
      reach = Math.max(reach, omission.end);
      omission.reach = reach;
    }
  }

  /** A piece of the text that begins at `offset`, without them. */
  leaveOut(text: string, offset: number): string {
    if (this.#pending.length === 0 || text === "") return this.#pass(text);
    const end = offset + text.length;
    let kept = "";
    let at = offset;
    for (const [index, omission] of this.#pending.entries()) {
      if (omission.start >= end) break;
      if (omission.end <= at) continue;
      const start = Math.max(at, omission.start);
      kept += this.#pass(text.slice(at - offset, start - offset));
      at = start;
      while (!omission.isSaid && at < Math.min(end, omission.end) && this.#json?.isInEscape === true) {
        kept += this.#pass(text.charAt(at - offset));
        at += 1;
      }
      if (at === Math.min(end, omission.end)) continue;
      if (!omission.isSaid) {
        kept += this.#markOf(omission.kind, text.charAt(at - offset));
        omission.isInString = this.#json?.isInString === true;
      }
      omission.isSaid = true;
      while (at < end && (at < omission.end || this.#json?.isInEscape === true)) {
        const last = Math.max(at + 1, Math.min(end, omission.end));
        kept += this.#frameOf(text.slice(at - offset, last - offset), omission.isInString);
        at = last;
      }
      // Half an escape would be left behind: its end goes, too.
      if (this.#json?.isInEscape === true) {
        omission.end = Math.max(omission.end, at + 1);
        this.#reachFrom(index);
      }
    }
    // One that ends here may still grow, and what was said once may be found again.
    this.#pending = this.#pending.filter((omission) => omission.end >= end - FOUND_AGAIN);
    return kept + this.#pass(text.slice(at - offset));
  }

  /** What stays of something that is left out: where it goes on beyond its string, what holds the JSON together. */
  #frameOf(text: string, isInString: boolean): string {
    const json = this.#json;
    if (json === undefined) return "";
    if (!isInString || (json.isInString && !text.includes('"'))) {
      json.read(text);
      return "";
    }
    let frame = "";
    for (const character of text.split("")) {
      const wasInString = json.isInString;
      const wasBetween = json.isWithin && !wasInString;
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
  #markOf(kind: string, first: string): string {
    const mark = markOf(kind);
    return this.#json?.isBeforeValue === true && /[-\d]/.test(first) ? `"${mark}"` : mark;
  }
}
