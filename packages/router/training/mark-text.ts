import { newMarks, scanText } from "../src/predict/scan-text.ts";
import { FIGURES, figuresOf, SHAPES, shapePlaces } from "../src/predict/shape-of-text.ts";
import { SHAPE_WEIGHT } from "../src/predict/text-reader.ts";

/** The marks of a text as the reader sees them: places of the table with what each counts. */
export interface Markings {
  readonly places: Uint16Array;
  readonly counts: Float32Array;
  readonly figures: Float64Array;
}

const marks = newMarks();
const shape = new Uint16Array(SHAPES);

export function markText(text: string): Markings {
  scanText(text, marks);
  shapePlaces(marks, shape);
  const figures = new Float64Array(FIGURES);
  figuresOf(marks, figures);
  const places = new Uint16Array(SHAPES + marks.size);
  places.set(shape);
  places.set(marks.places.subarray(0, marks.size), SHAPES);
  const counts = new Float32Array(places.length).fill(1 / Math.sqrt(marks.size + 1));
  counts.fill(SHAPE_WEIGHT, 0, SHAPES);
  return { places, counts, figures };
}
