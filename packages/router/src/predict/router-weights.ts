import { BUCKET_COUNT } from "./counted-words.ts";
import { NUMERIC_FEATURE_COUNT, SHAPE_FEATURE_COUNT } from "./text-features.ts";

/** The trained weights as stored in the file. */
export interface RouterWeights {
  readonly domains: readonly { readonly name: string; readonly family: string }[];
  /** The families with outcomes. */
  readonly families: readonly string[];
  readonly models: readonly KnownModel[];
  /** By bucket: a weight for each domain, then the ease in each family as its outcomes are graded, then the ease for people. */
  readonly table: Int8Array;
  /** By bucket: the share of all texts with the feature, above 0. */
  readonly usual: Float32Array;
  /** The factor of each column. */
  readonly scales: Float32Array;
  /** By domain: the effect of the numeric features on the chance of all models, then on the gap between strong and weak ones. */
  readonly figures: Float32Array;
  /** By domain: how much easier it is than the subject of claims, as its outcomes are graded. */
  readonly ease: Float32Array;
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
const WEIGHTS_VERSION = 3;
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

/** The columns of the table. The last one is the ease of a prompt, whatever its domain. */
export function columnCountOf({ domains, families }: Pick<RouterWeights, "domains" | "families">): number {
  return domains.length + families.length + 1;
}

/** The length of each array, in the order of the file. */
function arrayLengths(header: Pick<WeightsHeader, "domains" | "families" | "models">) {
  const { domains, families, models } = header;
  const cells = models.length * domains.length;
  return {
    usual: BUCKET_COUNT,
    scales: columnCountOf(header),
    figures: domains.length * 2 * NUMERIC_FEATURE_COUNT,
    ease: domains.length,
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
    abilities: take("abilities"),
    outcomes: take("outcomes"),
    lengths: take("lengths"),
    traits: take("traits"),
    stretch: take("stretch"),
    strength: take("strength"),
  };
  const table = new Int8Array(bytes.buffer, bytes.byteOffset + at, bytes.byteLength - at).slice();
  if (table.length !== BUCKET_COUNT * columnCountOf(weightsHeader)) {
    throw new Error("The router weights are cut off.");
  }
  return { domains, families, models, table, ...arrays };
}
