import { surrogateSafeEnd } from "../ui/surrogate-safe-slice.ts";

/** A place in a text, end exclusive. */
export interface Place {
  readonly category: string;
  readonly start: number;
  readonly end: number;
}

/** A stretch of a text, and what was found in it. */
export interface Stretch {
  readonly text: string;
  readonly start: number;
  readonly categories: readonly string[];
}

/** Cuts a text where places begin and end, never within a character. */
export function stretchesOf(text: string, places: readonly Place[]): Stretch[] {
  const whole = places.map((place) => ({
    ...place,
    start: surrogateSafeEnd(text, Math.min(place.start, text.length)),
    end: surrogateSafeEnd(text, Math.min(place.end, text.length)),
  }));
  const cuts = new Set([0, text.length, ...whole.flatMap(({ start, end }) => [start, end])]);
  const sorted = [...cuts].sort((a, b) => a - b);
  return sorted.slice(0, -1).map((start, at) => {
    const end = sorted[at + 1] ?? text.length;
    const covering = whole.filter((place) => place.start < end && place.end > start);
    return {
      text: text.slice(start, end),
      start,
      categories: [...new Set(covering.map(({ category }) => category))],
    };
  });
}

export interface MarkedTextProps {
  readonly label: string;
  readonly text: string;
  readonly places: readonly Place[];
  readonly nameOf: (category: string) => string;
}

/** A text with what was found in it marked; what each mark is about is said after it. */
export function MarkedText({ label, text, places, nameOf }: MarkedTextProps) {
  return (
    <section
      aria-label={label}
      tabIndex={0}
      className="max-h-64 overflow-auto rounded-md border border-line bg-subtle p-3 wrap-anywhere whitespace-pre-wrap"
    >
      {stretchesOf(text, places).map(({ text: words, start, categories }) =>
        categories.length === 0 ? (
          words
        ) : (
          <mark key={start} className="rounded-sm bg-danger-soft px-0.5 text-danger">
            {words}
            <span className="sr-only"> ({categories.map(nameOf).join(", ")})</span>
          </mark>
        ),
      )}
    </section>
  );
}
