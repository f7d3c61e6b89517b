import { type Marks, SHAPE_PLACES } from "./scan-text.ts";

/** The shape of a text in two forms: places of the table by steps, and figures about 0 for what depends on amounts. */

const BINS = 8;
export const SHAPES = 21;
export const FIGURES = 13;

if (SHAPES * BINS > SHAPE_PLACES) throw new Error("The shape needs more places than there are for it.");

/** Writes the places of the shape, one for each of its sides. */
export function shapePlaces({ counts, length }: Marks, into: Uint16Array): void {
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
  put(doublings(words));
  put(doublings(numbers));
  put(numbers);
  put(sentences);
  put(doublings(sentences));
  put(options);
  put(doublings(newlines));
  put(doublings(formulas));
  put(doublings(brackets));
  put(doublings(commas));
  put(questions);
  put(doublings(quotes));
  put(doublings(sums));
  put((capitals * each) / 0.1);
  put((commas * each) / 0.08);
  put((common * each) / 0.06);
  put((numbers * each) / 0.04);
  put((letters * each - 3) / 0.4);
  put(words / (sentences + 1) / 5);
}

/** Writes the figures, each around 0 and seldom beyond 2. */
export function figuresOf({ counts, length }: Marks, into: number[] | Float64Array): void {
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

function doublings(count: number): number {
  return count === 0 ? 0 : 1 + Math.log2(count);
}
