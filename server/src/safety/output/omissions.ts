import type { Span, Verdict } from "../../domain/verdict.ts";
import { isRedactable } from "../categories.ts";
import { actionFor, type SafetyPolicy } from "../policy.ts";
import { markOf } from "../private/redact-out.ts";

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
    if (this.#pending.length === 0 || text === "") return text;
    const end = offset + text.length;
    let kept = "";
    let at = offset;
    for (const omission of this.#pending) {
      if (omission.start >= end || omission.end <= at) continue;
      kept += text.slice(at - offset, Math.max(at, omission.start) - offset);
      if (!omission.isSaid) kept += markOf(omission.kind);
      omission.isSaid = true;
      at = Math.min(end, omission.end);
    }
    // One that ends here may still grow.
    this.#pending = this.#pending.filter((omission) => omission.end >= end);
    return kept + text.slice(at - offset);
  }
}
