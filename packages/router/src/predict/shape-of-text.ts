import { type HashedFeatures, SHAPE_BUCKET_COUNT } from "./scan-text.ts";

/** The shape of a text in two forms: places of the table by steps, and figures about 0 for what depends on amounts. */

const BINS = 8;
export const SHAPE_FEATURE_COUNT = 21;
export const NUMERIC_FEATURE_COUNT = 13;

if (SHAPE_FEATURE_COUNT * BINS > SHAPE_BUCKET_COUNT)
  throw new Error("The shape needs more places than there are for it.");

/** Writes the places of the shape, one for each of its sides. */
export function writeShapeBuckets({ counters: counts, length }: HashedFeatures, into: Uint16Array): void {
  const [words = 0, letters = 0, numbers = 0, sentences = 0, questions = 0, commas = 0, newlines = 0] =
    counts;
  const [options = 0, capitals = 0, common = 0, , , formulas = 0, brackets = 0, sums = 0, quotes = 0] =
    counts.subarray(7);
  const each = 1 / (words + 1);
  const span = Math.log2(length + 1);
  let side = 0;
  const put = (bin: number) => {
    into[side] = side * BINS + Math.max(0, Math.min(BINS - 1, Math.floor(bin)));
    side++;
  };
  put((span - 3) / 0.75);
  put((span - 6) / 0.4);
  put(log2Step(words));
  put(log2Step(numbers));
  put(numbers);
  put(sentences);
  put(log2Step(sentences));
  put(options);
  put(log2Step(newlines));
  put(log2Step(formulas));
  put(log2Step(brackets));
  put(log2Step(commas));
  put(questions);
  put(log2Step(quotes));
  put(log2Step(sums));
  put((capitals * each) / 0.1);
  put((commas * each) / 0.08);
  put((common * each) / 0.06);
  put((numbers * each) / 0.04);
  put((letters * each - 3) / 0.4);
  put(words / (sentences + 1) / 5);
}

/** Writes the figures, each around 0 and seldom beyond 2. */
export function writeNumericFeatures(
  { counters: counts, length }: HashedFeatures,
  into: number[] | Float64Array,
): void {
  const [words = 0, letters = 0, numbers = 0, sentences = 0, , commas = 0, , options = 0, , common = 0] =
    counts;
  const [parts = 0, compared = 0] = counts.subarray(10);
  const each = 1 / (words + 1);
  into[0] = 1;
  into[1] = (Math.log2(length + 1) - 8) / 1.5;
  into[2] = (Math.log2(words + 1) - 5.5) / 1.5;
  into[3] = Math.log2(numbers + 1) - 1.5;
  into[4] = Math.log2(sentences + 1) - 1.5;
  into[5] = letters * each - 4.3;
  into[6] = Math.min(options, 10) / 5 - 0.8;
  into[7] = (common * each - 0.25) * 5;
  into[8] = Math.log2(words / (sentences + 1) + 1) - 3.5;
  into[9] = (numbers * each - 0.1) * 5;
  into[10] = Math.log2(parts + 1) - 0.4;
  into[11] = Math.log2(compared + 1) - 0.5;
  into[12] = Math.log2(commas + 1) - 1;
}

function log2Step(count: number): number {
  return count === 0 ? 0 : 1 + Math.log2(count);
}
