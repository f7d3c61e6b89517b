import { isRedactable } from "../../domain/safety-category.ts";
import type { Span, Verdict } from "../../domain/verdict.ts";
import { actionFor, type SafetyPolicy } from "../policy.ts";
import { markOf } from "../private/redact-out.ts";
import type { JsonPlace } from "./json-place.ts";

interface Omission {
  readonly start: number;
  end: number;
  readonly kind: string;
  /** How far this one and those before it go. */
  reach: number;
  isSaid: boolean;
}

/** What is to be left out of a text that is given out piece by piece, and what is said instead. */
export class Omissions {
  /** In order of their starts. */
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
    this.#pending.splice(place, 0, { start, end, kind, reach: end, isSaid: false });
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
    // One that ends here may still grow.
    this.#pending = this.#pending.filter((omission) => omission.end >= end);
    const rest = text.slice(at - offset);
    this.#json?.read(rest);
    return kept + rest;
  }

  #markOf(kind: string): string {
    const mark = markOf(kind);
    return this.#json?.isInString === false ? `"${mark}"` : mark;
  }
}
