import type { PrivateDatum, PrivateKind } from "./private-datum.ts";
import { markOf } from "./redact-out.ts";

/** The most that is held back while the end of what was said may still be part of a value. */
const HELD_MAX = 64;
/** What stays in view of what was let go: the words that say what a value is. */
const CONTEXT = 128;
/** No value is longer, and none is looked back at further. */
const VALUE_MAX = 16_384;

/**
 * Takes values out of an answer as it grows. Lets go of everything but a last word or number that may still grow into a value;
 * of a value that was longer than what is held, the end is never let go.
 */
export class UtteranceRedactor {
  readonly #find: (text: string) => readonly PrivateDatum[];
  readonly #note: (kind: PrivateKind) => void;
  #view = "";
  /** How much of the view was let go, or taken out. */
  #done = 0;
  /** Where in the view a value begins that is marked already and may go on. */
  #openStart: number | undefined;

  constructor(find: (text: string) => readonly PrivateDatum[], note: (kind: PrivateKind) => void) {
    this.#find = find;
    this.#note = note;
  }

  /** Takes more and gives back what can be passed on. */
  read(text: string): string {
    this.#view += text;
    return this.#release(Math.max(this.#done, openEnd(this.#view)));
  }

  /** Gives back the rest. What follows has nothing to do with it. */
  flush(): string {
    const rest = this.#release(this.#view.length);
    this.#view = "";
    this.#done = 0;
    this.#openStart = undefined;
    return rest;
  }

  #release(limit: number): string {
    let released = "";
    let at = this.#done;
    let open: number | undefined;
    for (const { kind, start, end } of this.#find(this.#view)) {
      if (end <= at) {
        if (start === this.#openStart && this.#view.length - end <= HELD_MAX) open = start;
        continue;
      }
      if (start >= limit) break;
      if (start > at) released += this.#view.slice(at, start);
      if (start !== this.#openStart) {
        released += markOf(kind);
        this.#note(kind);
      }
      at = end;
      if (this.#view.length - end <= HELD_MAX) open = start;
    }
    if (limit > at) released += this.#view.slice(at, limit);
    this.#done = Math.max(at, limit);
    this.#openStart = open;
    this.#forget();
    return released;
  }

  #forget(): void {
    const earliest = this.#view.length - VALUE_MAX;
    const needless = Math.max(earliest, Math.min(this.#openStart ?? this.#done, this.#done - CONTEXT));
    if (needless <= 0) return;
    this.#view = this.#view.slice(needless);
    this.#done -= needless;
    if (this.#openStart !== undefined) this.#openStart = Math.max(0, this.#openStart - needless);
  }
}

/** Where the last word begins, and with it the groups of a number before it. */
function openEnd(text: string): number {
  let at = text.length;
  while (at > 0 && text.length - at < HELD_MAX) {
    const code = text.charCodeAt(at - 1);
    const isJoint = code === 32 && isOfNumber(text.charCodeAt(at - 2));
    if (code <= 32 && !isJoint) break;
    at -= 1;
  }
  // Half a character is held with its other half.
  const before = text.charCodeAt(at - 1);
  return before >= 0xd800 && before < 0xdc00 ? at - 1 : at;
}

function isOfNumber(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 41 || code === 43;
}
