import type { Span, Verdict } from "../../domain/verdict.ts";
import { isRedactable } from "../categories.ts";
import { actionFor, type SafetyPolicy } from "../policy.ts";

interface Omission {
  readonly start: number;
  end: number;
  readonly instead: string;
  isSaid: boolean;
}

/** What is to be left out of a text that is given out piece by piece, and what is said instead. */
export class Omissions {
  #pending: Omission[] = [];
  #any = false;

  get any(): boolean {
    return this.#any;
  }

  /** The values of a verdict that the policy wants to be taken out. One that grew is still the same. */
  note(policy: SafetyPolicy, { spans, categories }: Verdict): void {
    for (const span of spans) {
      if (!isRedactable(span.category)) continue;
      if (actionFor(policy, span.category, categories[span.category] ?? 0) === "redact") this.#add(span);
    }
  }

  #add({ category, kind, start, end }: Span): void {
    this.#any = true;
    const overlapping = this.#pending.find((known) => start <= known.end && end >= known.start);
    if (overlapping !== undefined) overlapping.end = Math.max(overlapping.end, end);
    else {
      this.#pending.push({ start, end, instead: `[${kind ?? category}]`, isSaid: false });
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
      if (!omission.isSaid) kept += omission.instead;
      omission.isSaid = true;
      at = Math.min(end, omission.end);
    }
    // One that ends here may still grow.
    this.#pending = this.#pending.filter((omission) => omission.end >= end);
    return kept + text.slice(at - offset);
  }
}
