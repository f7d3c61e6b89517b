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

  /** `json`: the text is JSON, and is to stay so. */
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
    if (this.#pending.length === 0 || text === "") {
      this.#json?.read(text);
      return text;
    }
    const end = offset + text.length;
    let kept = "";
    let at = offset;
    for (const omission of this.#pending) {
      if (omission.start >= end || omission.end <= at) continue;
      const before = text.slice(at - offset, Math.max(at, omission.start) - offset);
      this.#json?.read(before);
      kept += before;
      at = Math.max(at, omission.start);
      const last = Math.min(end, omission.end);
      while (!omission.isSaid && at < last && this.#json?.isInEscape === true) {
        this.#json.read(text.charAt(at - offset));
        kept += text.charAt(at - offset);
        at += 1;
      }
      if (at === last) continue;
      if (!omission.isSaid) kept += this.#markOf(omission.kind);
      omission.isSaid = true;
      this.#json?.read(text.slice(at - offset, last - offset));
      at = last;
    }
    // One that ends here may still grow, and what was said once may be found again.
    this.#pending = this.#pending.filter((omission) => omission.end >= end - FOUND_AGAIN);
    const rest = text.slice(at - offset);
    this.#json?.read(rest);
    return kept + rest;
  }

  #markOf(kind: string): string {
    const mark = markOf(kind);
    return this.#json?.isInString === false ? `"${mark}"` : mark;
  }
}
