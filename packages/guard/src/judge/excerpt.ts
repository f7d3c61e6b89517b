import { codePointBoundary, replaceLoneSurrogates } from "@trunkline/core/code-points.ts";
import { isRedactable } from "@trunkline/core/safety-policy.ts";
import type { Span, Verdict } from "@trunkline/core/verdict.ts";
import { findPrivateData } from "../private-data/find-private-data.ts";

/** What a judge is shown at most, in characters. */
export const EXCERPT_CHARACTERS = 8_000;
/** Between two places of a long text. */
const GAP = "\n[...]\n";
/** So many places are shown at most. */
const PLACES_MAX = 8;
/** How far beyond what is shown values are looked for: one that is cut in two would not be known for one. */
const MARGIN_CHARACTERS = 4_096;

/** What a judge is shown of a text. */
export interface Excerpt {
  readonly text: string;
  /** Whether that is all of it. */
  readonly isWhole: boolean;
}

/** The text, or what stands around the findings where it is long. Private values in it stay here. */
export function createExcerpt(text: string, spans: Verdict["spans"]): Excerpt {
  const isWhole = text.length <= EXCERPT_CHARACTERS;
  const shown = isWhole
    ? [fullWindow(text)]
    : windowsOf(text.length, spans).map((window) => surrogateSafeWindow(text, window));
  const values = spans.filter(({ category }) => isRedactable(category));
  const words = shown.map((window) => maskValues(text, window, values)).join(GAP);
  // A caller's own halves of characters go to nobody either: a judge that can't read its question gives no opinion.
  return { text: replaceLoneSurrogates(words), isWhole };
}

type Window = [start: number, end: number];
type TextRange = Pick<Span, "start" | "end">;

function fullWindow({ length }: string): Window {
  return [0, length];
}

function surrogateSafeWindow(text: string, [start, end]: Window): Window {
  return [codePointBoundary(text, start), codePointBoundary(text, end)];
}

function windowsOf(length: number, spans: readonly Span[]): readonly Window[] {
  const places = spans.filter(({ category }) => !isRedactable(category)).slice(0, PLACES_MAX);
  return places.length === 0
    ? windowsAtEnds(length)
    : windowsAround(places, length, Math.floor(EXCERPT_CHARACTERS / places.length));
}

/** Stars stand for every value. Those that a verdict names are not all: it names a few dozen at most. */
function maskValues(text: string, [start, end]: Window, known: readonly TextRange[]): string {
  const from = Math.max(0, start - MARGIN_CHARACTERS);
  const found = findPrivateData(text.slice(from, end + MARGIN_CHARACTERS)).map((datum) => ({
    start: datum.start + from,
    end: datum.end + from,
  }));
  const pieces: string[] = [];
  let at = start;
  for (const value of [...known, ...found].sort((a, b) => a.start - b.start)) {
    const valueStart = Math.min(end, Math.max(at, value.start));
    const valueEnd = Math.min(end, value.end);
    if (valueEnd <= valueStart) continue;
    pieces.push(text.slice(at, valueStart), "*".repeat(valueEnd - valueStart));
    at = valueEnd;
  }
  pieces.push(text.slice(at, end));
  return pieces.join("");
}

function windowsAtEnds(length: number): readonly Window[] {
  const half = EXCERPT_CHARACTERS / 2;
  return [
    [0, half],
    [length - half, length],
  ];
}

/** As much before a place as after it; those that touch are one. */
function windowsAround(places: readonly Span[], length: number, width: number): readonly Window[] {
  const windows: Window[] = [];
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
