import type { Resumable } from "../resumable.ts";
import type { PrivateValueKind } from "./private-value.ts";

/** What a placeholder looks like: no longer than this, so that a stream need not hold back more. */
const PLACEHOLDER_CHARACTERS_MAX = 64;
const PLACEHOLDER = /\[[A-Z]{2,16}(?:_[A-Z]{2,16}){0,2}_\d{1,7}\]/g;

/** So much of a text is looked through without a stop. */
const RESERVE_STEP_CHARACTERS = 32_768;

/**
 * The values that were taken out of one request, each with the placeholder that stands for it. Lives as long as the request and
 * is written nowhere.
 */
export class Redactions {
  readonly #placeholders = new Map<string, string>();
  readonly #values = new Map<string, string>();
  readonly #used = new Set<string>();
  readonly #counts = new Map<PrivateValueKind, number>();
  /** Where the search for a free number goes on: what was passed over once is never looked at again. */
  readonly #next = new Map<PrivateValueKind, number>();

  get isEmpty(): boolean {
    return this.#values.size === 0;
  }

  /** How many values of each kind were taken out: all that may be told of them. */
  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  get placeholders(): readonly string[] {
    return [...this.#values.keys()];
  }

  /** The values by their placeholders. */
  get byPlaceholder(): ReadonlyMap<string, string> {
    return this.#values;
  }

  get values(): readonly string[] {
    return [...this.#placeholders.keys()];
  }

  /** What the caller's own words already hold stands for itself. */
  *reserve(text: string): Resumable<void> {
    for (let start = 0; start < text.length; start += RESERVE_STEP_CHARACTERS) {
      if (start > 0) yield;
      const piece = text.slice(start, start + RESERVE_STEP_CHARACTERS + PLACEHOLDER_CHARACTERS_MAX);
      for (const [placeholder] of piece.matchAll(PLACEHOLDER)) this.#used.add(placeholder);
    }
  }

  /** The same value has the same placeholder, wherever it stands. */
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
