import { isRedactable } from "../../domain/safety-category.ts";
import type { Span, Verdict } from "../../domain/verdict.ts";
import { actionFor, type SafetyPolicy } from "../policy.ts";
import { markOf } from "../private/redact-out.ts";
import type { JsonPlace } from "./json-place.ts";

/** How far back a value is found again that was left out already. */
const FOUND_AGAIN = 512;

interface Omission {
  readonly start: number;
  end: number;
  readonly kind: string;
  isSaid: boolean;
}

/** What is to be left out of a text that is given out piece by piece, and what is said instead. */
export class Omissions {
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
    const overlapping = this.#pending.find((known) => start < known.end && end > known.start);
    if (overlapping !== undefined) overlapping.end = Math.max(overlapping.end, end);
    else {
      this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
      this.#pending.push({ start, end, kind, isSaid: false });
      this.#pending.sort((one, other) => one.start - other.start);
    }
  }

  /** A piece of the text that begins at `offset`, without them. */
  leaveOut(text: string, offset: number): string {
    if (this.#pending.length === 0 || text === "") return this.#pass(text);
    const end = offset + text.length;
    let kept = "";
    let at = offset;
    for (const omission of this.#pending) {
      if (omission.start >= end || omission.end <= at) continue;
      const start = Math.max(at, omission.start);
      kept += this.#pass(text.slice(at - offset, start - offset));
      at = start;
      while (!omission.isSaid && at < Math.min(end, omission.end) && this.#json?.isInEscape === true) {
        kept += this.#pass(text.charAt(at - offset));
        at += 1;
      }
      if (at === Math.min(end, omission.end)) continue;
      if (!omission.isSaid) kept += this.#markOf(omission.kind, text.charAt(at - offset));
      omission.isSaid = true;
      while (at < end && (at < omission.end || this.#json?.isInEscape === true)) {
        const last = Math.max(at + 1, Math.min(end, omission.end));
        this.#json?.read(text.slice(at - offset, last - offset));
        at = last;
      }
      // Half an escape would be left behind: its end goes, too.
      if (this.#json?.isInEscape === true) omission.end = Math.max(omission.end, at + 1);
    }
    // One that ends here may still grow, and what was said once may be found again.
    this.#pending = this.#pending.filter((omission) => omission.end >= end - FOUND_AGAIN);
    return kept + this.#pass(text.slice(at - offset));
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
