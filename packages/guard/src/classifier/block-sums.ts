import { CLASS_COUNT } from "./heads.ts";

/** Numbers of the table are above zero by this, so that four of them can be added up at once. */
export const ZERO_OFFSET = 128;
const WORDS_PER_ROW = CLASS_COUNT / 4;
const EVEN_BYTES = 0x00ff00ff;

/**
 * Adds up the rows of a block's marks, column by column. A row is read as three words of four numbers, and each word
 * added as two pairs: a pair overflows after 257 rows, which no block has.
 */
export function sumFeatureRows(
  table: Int32Array,
  marks: Int32Array,
  size: number,
  sums: Int32Array,
  at: number,
): void {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let e = 0;
  let f = 0;
  for (let mark = 0; mark < size; mark++) {
    const row = (marks[mark] ?? 0) * WORDS_PER_ROW;
    const one = table[row] ?? 0;
    const two = table[row + 1] ?? 0;
    const three = table[row + 2] ?? 0;
    a = (a + (one & EVEN_BYTES)) | 0;
    b = (b + ((one >>> 8) & EVEN_BYTES)) | 0;
    c = (c + (two & EVEN_BYTES)) | 0;
    d = (d + ((two >>> 8) & EVEN_BYTES)) | 0;
    e = (e + (three & EVEN_BYTES)) | 0;
    f = (f + ((three >>> 8) & EVEN_BYTES)) | 0;
  }
  const zero = size * ZERO_OFFSET;
  unpackSums(a, b, zero, sums, at);
  unpackSums(c, d, zero, sums, at + 4);
  unpackSums(e, f, zero, sums, at + 8);
}

function unpackSums(even: number, odd: number, zero: number, sums: Int32Array, at: number): void {
  sums[at] = (even & 0xffff) - zero;
  sums[at + 1] = (odd & 0xffff) - zero;
  sums[at + 2] = (even >>> 16) - zero;
  sums[at + 3] = (odd >>> 16) - zero;
}
