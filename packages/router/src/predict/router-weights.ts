import { BUCKET_COUNT, NUMERIC_FEATURE_COUNT, SHAPE_FEATURE_COUNT } from "./text-features.ts";

/** The trained weights as stored in the file. */
export interface RouterWeights {
  readonly domains: readonly { readonly name: string; readonly family: string }[];
  /** The families with outcomes. */
  readonly families: readonly string[];
  readonly models: readonly KnownModel[];
  /** By bucket: a weight for each domain, then the difficulty in each family. */
  readonly table: Int8Array;
  /** By bucket: the share of all texts with the feature, above 0. */
  readonly usual: Float32Array;
  /** The factor of each column. */
  readonly scales: Float32Array;
  /** By domain: the effect of the numeric features on the chance of all models, then on the gap between strong and weak ones. */
  readonly figures: Float32Array;
  /** By domain: how much easier it is than the subject of claims, and how much its requests vary. */
  readonly ease: Float32Array;
  readonly spread: Float32Array;
  /** By model and domain, in log-odds; NaN: no outcomes of the model in the family. */
  readonly abilities: Float32Array;
  /** By model and domain: the number of outcomes. */
  readonly outcomes: Float32Array;
  /** By model and domain: tokens of an answer; NaN: unknown. */
  readonly lengths: Float32Array;
  /** By model and family: the effect of the numeric features on its chance, beyond that on all models. */
  readonly traits: Float32Array;
  /** By model: the effect of the numeric features on the length of its answers. */
  readonly stretch: Float32Array;
  /** By model and family: its strength among the models with outcomes; 0: average. */
  readonly strength: Float32Array;
}

interface KnownModel {
  readonly name: string;
  /** The published share of general questions that it answers. */
  readonly claim: number;
  /** US dollars per million tokens, where the outcomes have costs. */
  readonly inputPrice?: number | undefined;
  readonly outputPrice?: number | undefined;
}

/** Stored in the file, so that code with other text features refuses the weights. */
const WEIGHTS_VERSION = 1;
const MAGIC = "TLRW";

interface WeightsHeader {
  readonly version: number;
  readonly places: number;
  readonly shapes: number;
  readonly figures: number;
  readonly domains: RouterWeights["domains"];
  readonly families: RouterWeights["families"];
  readonly models: readonly KnownModel[];
}

/** The length of each array, in the order of the file. */
function arrayLengths({ domains, families, models }: Pick<WeightsHeader, "domains" | "families" | "models">) {
  const cells = models.length * domains.length;
  return {
    usual: BUCKET_COUNT,
    scales: domains.length + families.length,
    figures: domains.length * 2 * NUMERIC_FEATURE_COUNT,
    ease: domains.length,
    spread: domains.length,
    abilities: cells,
    outcomes: cells,
    lengths: cells,
    traits: models.length * families.length * NUMERIC_FEATURE_COUNT,
    stretch: models.length * NUMERIC_FEATURE_COUNT,
    strength: models.length * families.length,
  };
}

type ArrayName = keyof ReturnType<typeof arrayLengths>;

export function encodeRouterWeights(routerWeights: RouterWeights): Uint8Array {
  const { domains, families, models } = routerWeights;
  const weightsHeader: WeightsHeader = {
    version: WEIGHTS_VERSION,
    places: BUCKET_COUNT,
    shapes: SHAPE_FEATURE_COUNT,
    figures: NUMERIC_FEATURE_COUNT,
    domains,
    families,
    models,
  };
  const text = new TextEncoder().encode(JSON.stringify(weightsHeader));
  const arrays = Object.keys(arrayLengths(weightsHeader)).map((key) => routerWeights[key as ArrayName]);
  const floats = arrays.reduce((sum, { length }) => sum + length, 0);
  const start = 8 + text.length;
  const bytes = new Uint8Array(start + 4 * floats + routerWeights.table.length);
  const view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode(MAGIC));
  view.setUint32(4, text.length, true);
  bytes.set(text, 8);
  let at = start;
  for (const array of arrays) {
    for (const value of array) {
      view.setFloat32(at, value, true);
      at += 4;
    }
  }
  bytes.set(new Uint8Array(routerWeights.table.buffer, routerWeights.table.byteOffset, routerWeights.table.length), at);
  return bytes;
}

export function decodeRouterWeights(bytes: Uint8Array): RouterWeights {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (new TextDecoder().decode(bytes.subarray(0, 4)) !== MAGIC) throw new Error("These are no router weights.");
  const start = 8 + view.getUint32(4, true);
  const weightsHeader: WeightsHeader = JSON.parse(new TextDecoder().decode(bytes.subarray(8, start)));
  if (
    weightsHeader.version !== WEIGHTS_VERSION ||
    weightsHeader.places !== BUCKET_COUNT ||
    weightsHeader.shapes !== SHAPE_FEATURE_COUNT ||
    weightsHeader.figures !== NUMERIC_FEATURE_COUNT
  ) {
    throw new Error("The router weights are of another version. Rebuild them with npm run router:train.");
  }
  const { domains, families, models } = weightsHeader;
  const sizes = arrayLengths(weightsHeader);
  let at = start;
  const take = (key: ArrayName) => {
    const array = new Float32Array(sizes[key]);
    for (let index = 0; index < array.length; index++, at += 4) array[index] = view.getFloat32(at, true);
    return array;
  };
  const arrays = {
    usual: take("usual"),
    scales: take("scales"),
    figures: take("figures"),
    ease: take("ease"),
    spread: take("spread"),
    abilities: take("abilities"),
    outcomes: take("outcomes"),
    lengths: take("lengths"),
    traits: take("traits"),
    stretch: take("stretch"),
    strength: take("strength"),
  };
  const table = new Int8Array(bytes.buffer, bytes.byteOffset + at, bytes.byteLength - at).slice();
  if (table.length !== BUCKET_COUNT * (domains.length + families.length)) {
    throw new Error("The router weights are cut off.");
  }
  return { domains, families, models, table, ...arrays };
}

/** Four columns are packed into one integer, and four integers are summed at a time. */
const COLUMNS_PER_INTEGER = 4;
const INTEGERS_PER_PASS = 4;

/** Makes weights non-negative, so that no lane borrows from its neighbour. */
const BIAS = 128;

/** Every other byte: two lanes of 16 bits, which can hold the sum of many bytes. */
const LANE_MASK = 0x00ff00ff;
const MAX_ROWS_PER_PASS = 256;

/** Packing takes longer than reading the file, so services of one process share what was packed. */
const packedTables = new WeakMap<Int8Array, Int32Array>();

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

/**
 * Sums rows of a table of small integers exactly. A request has hundreds of rows: with four columns per integer and the
 * sums in variables, this takes a tenth of the time of a plain loop.
 */
export class PackedWeightTable {
  private readonly packed: Int32Array;
  /** Integers per row. */
  private readonly width: number;
  private readonly sums: Int32Array;

  constructor(table: Int8Array, columns: number) {
    this.width = Math.ceil(columns / (COLUMNS_PER_INTEGER * INTEGERS_PER_PASS)) * INTEGERS_PER_PASS;
    this.packed = packedTables.get(table) ?? packTable(table, columns, this.width);
    packedTables.set(table, this.packed);
    this.sums = new Int32Array(this.width * COLUMNS_PER_INTEGER);
  }

  /** The sums by column of the first `count` rows. The result is valid until the next call. */
  sumRows(rows: Uint16Array, size: number): Int32Array {
    const { packed, width, sums } = this;
    sums.fill(-BIAS * size);
    for (let from = 0; from < size; from += MAX_ROWS_PER_PASS) {
      const to = Math.min(size, from + MAX_ROWS_PER_PASS);
      for (let start = 0; start < width; start += INTEGERS_PER_PASS) {
        let even1 = 0;
        let odd1 = 0;
        let even2 = 0;
        let odd2 = 0;
        let even3 = 0;
        let odd3 = 0;
        let even4 = 0;
        let odd4 = 0;
        for (let at = from; at < to; at++) {
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

/** The even lanes hold the first and the third of four columns, the odd ones the second and the fourth. */
function addLanes(sums: Int32Array, column: number, even: number, odd: number): void {
  sums[column] = (sums[column] ?? 0) + (even & 0xffff);
  sums[column + 1] = (sums[column + 1] ?? 0) + (odd & 0xffff);
  sums[column + 2] = (sums[column + 2] ?? 0) + (even >>> 16);
  sums[column + 3] = (sums[column + 3] ?? 0) + (odd >>> 16);
}
