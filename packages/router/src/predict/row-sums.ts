/** Sums rows of a table of small integers exactly. A request has hundreds of rows. */
export interface RowSums {
  /** The rows to sum, which the caller writes. */
  readonly rows: Uint16Array;
  /** The sums by column of the rows from one place up to another. The result is valid until the next call. */
  sum(from: number, to: number): Int32Array;
}

/** Preparing a table takes longer than reading its file, so services of one process share it. */
const sumsOfTable = new WeakMap<Int8Array, RowSums>();

/** The sums of a table's rows, at most `rowsMax` at once. */
export function rowSumsOf(table: Int8Array, columns: number, rowsMax: number): RowSums {
  const known = sumsOfTable.get(table);
  if (known !== undefined && known.rows.length >= rowsMax) return known;
  const rowSums = createVectorRowSums(table, columns, rowsMax) ?? new PackedRowSums(table, columns, rowsMax);
  sumsOfTable.set(table, rowSums);
  return rowSums;
}

/** A sum of this many bytes fits into 16 bits. */
const MAX_ROWS_PER_PASS = 256;

/** Four columns are packed into one integer, and four integers are summed at a time. */
const COLUMNS_PER_INTEGER = 4;
const INTEGERS_PER_PASS = 4;
/** Makes weights non-negative, so that no lane borrows from its neighbour. */
const BIAS = 128;
/** Every other byte: two lanes of 16 bits, which can hold the sum of many bytes. */
const LANE_MASK = 0x00ff00ff;

/** For processors without vectors: four columns per integer, and the sums in variables. */
export class PackedRowSums implements RowSums {
  readonly rows: Uint16Array;
  private readonly packed: Int32Array;
  /** Integers per row. */
  private readonly width: number;
  private readonly sums: Int32Array;

  constructor(table: Int8Array, columns: number, rowsMax: number) {
    this.rows = new Uint16Array(rowsMax);
    this.width = Math.ceil(columns / (COLUMNS_PER_INTEGER * INTEGERS_PER_PASS)) * INTEGERS_PER_PASS;
    this.packed = packTable(table, columns, this.width);
    this.sums = new Int32Array(this.width * COLUMNS_PER_INTEGER);
  }

  sum(from: number, to: number): Int32Array {
    const { packed, rows, width, sums } = this;
    sums.fill(-BIAS * (to - from));
    for (let pass = from; pass < to; pass += MAX_ROWS_PER_PASS) {
      const end = Math.min(to, pass + MAX_ROWS_PER_PASS);
      for (let start = 0; start < width; start += INTEGERS_PER_PASS) {
        let even1 = 0;
        let odd1 = 0;
        let even2 = 0;
        let odd2 = 0;
        let even3 = 0;
        let odd3 = 0;
        let even4 = 0;
        let odd4 = 0;
        for (let at = pass; at < end; at++) {
          const place = (rows[at] ?? 0) * width + start;
          const one = packed[place] ?? 0;
          const two = packed[place + 1] ?? 0;
          const three = packed[place + 2] ?? 0;
          const four = packed[place + 3] ?? 0;
          even1 = (even1 + (one & LANE_MASK)) | 0;
          odd1 = (odd1 + ((one >>> 8) & LANE_MASK)) | 0;
          even2 = (even2 + (two & LANE_MASK)) | 0;
          odd2 = (odd2 + ((two >>> 8) & LANE_MASK)) | 0;
          even3 = (even3 + (three & LANE_MASK)) | 0;
          odd3 = (odd3 + ((three >>> 8) & LANE_MASK)) | 0;
          even4 = (even4 + (four & LANE_MASK)) | 0;
          odd4 = (odd4 + ((four >>> 8) & LANE_MASK)) | 0;
        }
        addLanes(sums, start * COLUMNS_PER_INTEGER, even1, odd1);
        addLanes(sums, (start + 1) * COLUMNS_PER_INTEGER, even2, odd2);
        addLanes(sums, (start + 2) * COLUMNS_PER_INTEGER, even3, odd3);
        addLanes(sums, (start + 3) * COLUMNS_PER_INTEGER, even4, odd4);
      }
    }
    return sums;
  }
}

function packTable(table: Int8Array, columns: number, width: number): Int32Array {
  const rows = table.length / columns;
  const packed = new Int32Array(rows * width);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const at = row * width + Math.floor(column / COLUMNS_PER_INTEGER);
      const weight = (table[row * columns + column] ?? 0) + BIAS;
      packed[at] = (packed[at] ?? 0) | (weight << (8 * (column % COLUMNS_PER_INTEGER)));
    }
  }
  return packed;
}

/** The even lanes hold the first and the third of four columns, the odd ones the second and the fourth. */
function addLanes(sums: Int32Array, column: number, even: number, odd: number): void {
  sums[column] = (sums[column] ?? 0) + (even & 0xffff);
  sums[column + 1] = (sums[column + 1] ?? 0) + (odd & 0xffff);
  sums[column + 2] = (sums[column + 2] ?? 0) + (even >>> 16);
  sums[column + 3] = (sums[column + 3] ?? 0) + (odd >>> 16);
}

const COLUMNS_PER_VECTOR = 16;
const PAGE_BYTES = 65_536;

/** Adds the rows from one address up to another, at most 256, to the sums at a third. */
type AddRows = (rows: number, rowsEnd: number, sums: number) => void;

/** Sums with vector instructions in a seventh of the time; undefined: the processor has none. */
export function createVectorRowSums(table: Int8Array, columns: number, rowsMax: number): RowSums | undefined {
  const vectors = Math.ceil(columns / COLUMNS_PER_VECTOR);
  const width = vectors * COLUMNS_PER_VECTOR;
  const rowCount = table.length / columns;
  const sumsAt = rowCount * width;
  const rowsAt = sumsAt + 4 * width;
  const pages = Math.ceil((rowsAt + 2 * rowsMax) / PAGE_BYTES);
  const compiled = compileAddRows(vectors, pages);
  if (compiled === undefined) return undefined;
  const { addRows, buffer } = compiled;
  const weights = new Int8Array(buffer, 0, rowCount * width);
  for (let row = 0; row < rowCount; row++) weights.set(table.subarray(row * columns, (row + 1) * columns), row * width);
  return new VectorRowSums(addRows, buffer, rowsAt, rowsMax, sumsAt, width);
}

class VectorRowSums implements RowSums {
  readonly rows: Uint16Array;
  private readonly sums: Int32Array;
  private readonly addRows: AddRows;
  private readonly rowsAt: number;
  private readonly sumsAt: number;

  constructor(addRows: AddRows, buffer: ArrayBuffer, rowsAt: number, rowsMax: number, sumsAt: number, columns: number) {
    this.addRows = addRows;
    this.rowsAt = rowsAt;
    this.sumsAt = sumsAt;
    this.rows = new Uint16Array(buffer, rowsAt, rowsMax);
    this.sums = new Int32Array(buffer, sumsAt, columns);
  }

  sum(from: number, to: number): Int32Array {
    const { addRows, rowsAt, sumsAt, sums } = this;
    sums.fill(0);
    for (let pass = from; pass < to; pass += MAX_ROWS_PER_PASS) {
      const end = Math.min(to, pass + MAX_ROWS_PER_PASS);
      addRows(rowsAt + 2 * pass, rowsAt + 2 * end, sumsAt);
    }
    return sums;
  }
}

/** The part of WebAssembly that is used here: the types of the language do not include it. */
declare const WebAssembly: {
  Memory: new (limits: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { readonly exports: { readonly addRows: AddRows } };
};

/**
 * Compiles the inner loop for rows of this many vectors. The table is at address 0. In the text format of WebAssembly:
 *
 *     (func (param $row i32) (param $end i32) (param $sums i32) (local $weights i32) (local $vector v128)
 *       (local $low0 v128) (local $high0 v128) …
 *       (block (loop
 *         (br_if 1 (i32.ge_u (local.get $row) (local.get $end)))
 *         (local.set $weights (i32.mul (i32.load16_u (local.get $row)) (i32.const bytes of a row)))
 *         ;; for each vector: 16 weights, added to two vectors of 16-bit sums
 *         (local.set $row (i32.add (local.get $row) (i32.const 2)))
 *         (br 0)))
 *       ;; for each half of these: added to the 32-bit sums in memory
 *     )
 */
function compileAddRows(vectors: number, pages: number): { addRows: AddRows; buffer: ArrayBuffer } | undefined {
  const [row, end, sums, weights, vector, firstSum] = [0, 1, 2, 3, 4, 5];
  const get = (local: number) => [0x20, local];
  const set = (local: number) => [0x21, local];
  const constant = (value: number) => [0x41, ...signed(value)];
  const simd = (operation: number) => [0xfd, ...unsigned(operation)];
  const loadVector = (offset: number) => [...simd(0x00), 0, ...unsigned(offset)];
  const storeVector = (offset: number) => [...simd(0x0b), 0, ...unsigned(offset)];
  const [widenBytesLow, widenBytesHigh, addShorts] = [simd(0x87), simd(0x88), simd(0x8e)];
  const [widenShortsLow, widenShortsHigh, addIntegers] = [simd(0xa7), simd(0xa8), simd(0xae)];
  const addVector = (index: number) => {
    const [low, high] = [firstSum + 2 * index, firstSum + 2 * index + 1];
    return [
      ...[...get(weights), ...loadVector(16 * index), ...set(vector)],
      ...[...get(low), ...get(vector), ...widenBytesLow, ...addShorts, ...set(low)],
      ...[...get(high), ...get(vector), ...widenBytesHigh, ...addShorts, ...set(high)],
    ];
  };
  const addToSums = (half: number) =>
    [widenShortsLow, widenShortsHigh].flatMap((widen, at) => {
      const offset = 32 * half + 16 * at;
      const sum = [...get(sums), ...loadVector(offset), ...get(firstSum + half), ...widen, ...addIntegers];
      return [...get(sums), ...sum, ...storeVector(offset)];
    });
  const indices = (count: number) => Array.from({ length: count }, (_, index) => index);
  const body = [
    // Two groups of locals: one integer, then vectors.
    ...[2, 1, I32, 1 + 2 * vectors, V128],
    ...[BLOCK, NO_RESULT, LOOP, NO_RESULT],
    ...[...get(row), ...get(end), 0x4f, 0x0d, 1],
    ...[...get(row), 0x2f, 1, 0, ...constant(vectors * COLUMNS_PER_VECTOR), 0x6c, ...set(weights)],
    ...indices(vectors).flatMap(addVector),
    ...[...get(row), ...constant(2), 0x6a, ...set(row)],
    ...[0x0c, 0, END, END],
    ...indices(2 * vectors).flatMap(addToSums),
    END,
  ];
  const bytes = Uint8Array.of(
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, 3, I32, I32, I32, 0]),
    ...section(2, [1, ...name("table"), ...name("memory"), 2, 0, ...unsigned(pages)]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...name("addRows"), 0, 0]),
    ...section(10, [1, ...unsigned(body.length), ...body]),
  );
  try {
    const memory = new WebAssembly.Memory({ initial: pages });
    const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), { table: { memory } });
    return { addRows: instance.exports.addRows, buffer: memory.buffer };
  } catch {
    return undefined;
  }
}

const I32 = 0x7f;
const V128 = 0x7b;
const BLOCK = 0x02;
const LOOP = 0x03;
const END = 0x0b;
const NO_RESULT = 0x40;

function section(id: number, content: readonly number[]): number[] {
  return [id, ...unsigned(content.length), ...content];
}

function name(text: string): number[] {
  return [text.length, ...new TextEncoder().encode(text)];
}

/** A number as the format has it: seven bits per byte, the lowest first, all but the last byte marked. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

/** The same for a number that may be negative: the highest bit of the last byte is its sign. */
function signed(value: number): number[] {
  return value < 0x40 ? [value] : [(value & 0x7f) | 0x80, ...signed(value >>> 7)];
}
