import type { Span, Verdict } from "../../domain/verdict.ts";
import { isRedactable } from "../categories.ts";

/** What a judge is shown at most, in characters. */
export const EXCERPT_CHARACTERS = 8_000;
/** Between two places of a long text. */
const GAP = "\n[...]\n";
/** So many places are shown at most. */
const PLACES_MAX = 8;

/** What a judge is shown of a text. */
export interface Excerpt {
  readonly text: string;
  /** Whether that is all of it. */
  readonly isWhole: boolean;
}

/** The text, or what stands around the findings where it is long. Private values in it stay here. */
export function excerptOf(text: string, spans: Verdict["spans"]): Excerpt {
  const shown = withoutValues(text, spans);
  if (shown.length <= EXCERPT_CHARACTERS) return { text: shown, isWhole: true };
  const places = spans.filter(({ category }) => !isRedactable(category)).slice(0, PLACES_MAX);
  if (places.length === 0) return { text: endsOf(shown), isWhole: false };
  const windows = windowsAround(places, shown.length, Math.floor(EXCERPT_CHARACTERS / places.length));
  return { text: windows.map(([start, end]) => shown.slice(start, end)).join(GAP), isWhole: false };
}

/** Stars in their place keep every offset. */
function withoutValues(text: string, spans: readonly Span[]): string {
  const values = spans.filter(({ category }) => isRedactable(category)).sort((a, b) => a.start - b.start);
  if (values.length === 0) return text;
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end } of values) {
    if (end <= at) continue;
    const from = Math.max(at, start);
    pieces.push(text.slice(at, from), "*".repeat(Math.min(end, text.length) - from));
    at = Math.min(end, text.length);
  }
  pieces.push(text.slice(at));
  return pieces.join("");
}

function endsOf(text: string): string {
  const half = EXCERPT_CHARACTERS / 2;
  return `${text.slice(0, half)}${GAP}${text.slice(-half)}`;
}

/** As much before a place as after it; those that touch are one. */
function windowsAround(places: readonly Span[], length: number, width: number): [number, number][] {
  const windows: [number, number][] = [];
  for (const { start, end } of places.toSorted((a, b) => a.start - b.start)) {
    const margin = Math.max(0, Math.floor((width - (end - start)) / 2));
    const from = Math.max(0, Math.min(start - margin, length - width));
    const to = Math.min(length, from + width);
    const last = windows.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else windows.push([from, to]);
  }
  return windows;
}
