import { CLASS_COUNT } from "./classes.ts";

// Sums of rows of the weight table. A row is three words of four bytes, one byte per class, and each word is added as
// two pairs of 16-bit sums. A sum overflows after 257 rows; no block has that many.

/** The bytes of the table are offset by this, so that four of them can be added at once. */
export const ZERO_OFFSET = 128;
/** The number of 32-bit words that hold the sums of all classes. */
export const PACKED_SUMS = CLASS_COUNT / 2;
const WORDS_PER_ROW = CLASS_COUNT / 4;
const EVEN_BYTES = 0x00ff00ff;

/** Adds the rows of the first `size` features to the packed sums at `at`. */
export function addFeatureRows(
  table: Int32Array,
  features: Int32Array,
  size: number,
  packed: Int32Array,
  at: number,
): void {
  let a = packed[at] ?? 0;
  let b = packed[at + 1] ?? 0;
  let c = packed[at + 2] ?? 0;
  let d = packed[at + 3] ?? 0;
  let e = packed[at + 4] ?? 0;
  let f = packed[at + 5] ?? 0;
  for (let feature = 0; feature < size; feature++) {
    const row = (features[feature] ?? 0) * WORDS_PER_ROW;
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
  packed[at] = a;
  packed[at + 1] = b;
  packed[at + 2] = c;
  packed[at + 3] = d;
  packed[at + 4] = e;
  packed[at + 5] = f;
}

/** Adds packed sums to others. */
export function addPackedSums(from: Int32Array, at: number, packed: Int32Array): void {
  for (let word = 0; word < PACKED_SUMS; word++) packed[word] = ((packed[word] ?? 0) + (from[at + word] ?? 0)) | 0;
}

/** Adds the sum of each class to the cells at `before`, and writes the results to those at `at`. */
export function addUnpackedSums(packed: Int32Array, rows: number, cells: Int32Array, before: number, at: number): void {
  const zero = rows * ZERO_OFFSET;
  for (let pair = 0; pair < PACKED_SUMS; pair += 2) {
    const even = packed[pair] ?? 0;
    const odd = packed[pair + 1] ?? 0;
    const from = before + 2 * pair;
    const to = at + 2 * pair;
    cells[to] = (cells[from] ?? 0) + (even & 0xffff) - zero;
    cells[to + 1] = (cells[from + 1] ?? 0) + (odd & 0xffff) - zero;
    cells[to + 2] = (cells[from + 2] ?? 0) + (even >>> 16) - zero;
    cells[to + 3] = (cells[from + 3] ?? 0) + (odd >>> 16) - zero;
  }
}
