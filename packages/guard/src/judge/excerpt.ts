import { codePointBoundary, replaceLoneSurrogates } from "@trunkline/core/code-points.ts";
import { isRedactable } from "@trunkline/core/safety-policy.ts";
import type { Span, Verdict } from "@trunkline/core/verdict.ts";
import { findPrivateData } from "../private-data/find-private-data.ts";
import type { TextRange } from "../text-range.ts";

/** The maximum number of characters sent to a judge. */
export const EXCERPT_CHARACTERS = 8_000;
/** Stands between two parts of a long text. */
const GAP = "\n[...]\n";
/** The maximum number of findings shown. */
const PLACES_MAX = 8;
/** How far beyond the excerpt private values are searched. Otherwise a value cut in two would not be recognised. */
const MARGIN_CHARACTERS = 4_096;

/** The part of a text that is sent to a judge. */
export interface Excerpt {
  readonly text: string;
  readonly isWhole: boolean;
}

/** The text, or the parts around the findings if it is long. Private values are masked. */
export function createExcerpt(text: string, spans: Verdict["spans"]): Excerpt {
  const isWhole = text.length <= EXCERPT_CHARACTERS;
  const shown = isWhole
    ? [fullWindow(text)]
    : windowsOf(text.length, spans).map((window) => surrogateSafeWindow(text, window));
  const values = spans.filter(({ category }) => isRedactable(category));
  const words = shown.map((window) => maskValues(text, window, values)).join(GAP);
  // Lone surrogates from the caller are replaced too, as a judge could not parse the request.
  return { text: replaceLoneSurrogates(words), isWhole };
}

type Window = [start: number, end: number];

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

/**
 * Masks every private value with asterisks. The verdict names only a few dozen of them, so the text is searched again.
 */
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

/** Centres a window on each finding and joins windows that touch. */
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
