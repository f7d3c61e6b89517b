/** Four columns lie in one integer, and three of these are added up in one go. */
const COLUMNS_PER_INTEGER = 4;
const INTEGERS_PER_PASS = 3;

/** Makes a byte of a weight, so that no lane borrows from its neighbour. */
const BIAS = 128;

/** Every other byte: two lanes of sixteen bits, which hold the sum of so many bytes. */
const LANE_MASK = 0x00ff00ff;
const MAX_ROWS_PER_PASS = 256;

/**
 * Adds up rows of a table of small integers, a weight for each column, and is exact. A request has hundreds of rows: with
 * four columns to an integer and the sums in variables that takes a tenth of the time of adding number by number.
 */
export class PackedWeightTable {
  private readonly packed: Int32Array;
  /** How many integers a row takes. */
  private readonly width: number;
  private readonly sums: Int32Array;

  constructor(table: Int8Array, columns: number) {
    const rows = table.length / columns;
    this.width = Math.ceil(columns / (COLUMNS_PER_INTEGER * INTEGERS_PER_PASS)) * INTEGERS_PER_PASS;
    this.packed = new Int32Array(rows * this.width);
    this.sums = new Int32Array(this.width * COLUMNS_PER_INTEGER);
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        const at = row * this.width + Math.floor(column / COLUMNS_PER_INTEGER);
        const weight = (table[row * columns + column] ?? 0) + BIAS;
        this.packed[at] = (this.packed[at] ?? 0) | (weight << (8 * (column % COLUMNS_PER_INTEGER)));
      }
    }
  }

  /** The sums by column of the first so many of these rows. They hold until the next time. */
  sumRows(rows: Uint16Array, size: number): Int32Array {
    const { packed, width, sums } = this;
    sums.fill(-BIAS * size);
    for (let from = 0; from < size; from += MAX_ROWS_PER_PASS) {
      const to = Math.min(size, from + MAX_ROWS_PER_PASS);
      for (let start = 0; start < width; start += INTEGERS_PER_PASS) {
        let [even1, odd1, even2, odd2, even3, odd3] = [0, 0, 0, 0, 0, 0];
        for (let at = from; at < to; at++) {
          const place = (rows[at] ?? 0) * width + start;
          const one = packed[place] ?? 0;
          const two = packed[place + 1] ?? 0;
          const three = packed[place + 2] ?? 0;
          even1 = (even1 + (one & LANE_MASK)) | 0;
          odd1 = (odd1 + ((one >>> 8) & LANE_MASK)) | 0;
          even2 = (even2 + (two & LANE_MASK)) | 0;
          odd2 = (odd2 + ((two >>> 8) & LANE_MASK)) | 0;
          even3 = (even3 + (three & LANE_MASK)) | 0;
          odd3 = (odd3 + ((three >>> 8) & LANE_MASK)) | 0;
        }
        addLanes(sums, start * COLUMNS_PER_INTEGER, even1, odd1);
        addLanes(sums, (start + 1) * COLUMNS_PER_INTEGER, even2, odd2);
        addLanes(sums, (start + 2) * COLUMNS_PER_INTEGER, even3, odd3);
      }
    }
    return sums;
  }
}

/** The even lanes hold the first and the third of four columns, the odd ones the second and the fourth. */
function addLanes(sums: Int32Array, column: number, even: number, odd: number): void {
  sums[column] = (sums[column] ?? 0) + (even & 0xffff);
  sums[column + 1] = (sums[column + 1] ?? 0) + (odd & 0xffff);
  sums[column + 2] = (sums[column + 2] ?? 0) + (even >>> 16);
  sums[column + 3] = (sums[column + 3] ?? 0) + (odd >>> 16);
}
