import { BUCKET_COUNT } from "./scan-text.ts";
import { NUMERIC_FEATURE_COUNT, SHAPE_FEATURE_COUNT } from "./shape-of-text.ts";

/** What was learnt in advance, as it lies in a file. */
export interface RouterWeights {
  readonly domains: readonly { readonly name: string; readonly family: string }[];
  /** Those that outcomes were seen of. */
  readonly families: readonly string[];
  readonly models: readonly KnownModel[];
  /** By place: a weight for each domain, then the difficulty in each family. */
  readonly table: Int8Array;
  /** By place: how many of all texts have the mark, as a share above 0. */
  readonly usual: Float32Array;
  /** By which the weights of a column are multiplied. */
  readonly scales: Float32Array;
  /** By domain: how the figures of the shape move the chance of all models, then how they part strong and weak ones. */
  readonly figures: Float32Array;
  /** By domain: how much easier it is than what providers' claims are about, and how far its requests differ. */
  readonly ease: Float32Array;
  readonly spread: Float32Array;
  /** By model and domain, in log-odds; NaN where its family was never seen of the model. */
  readonly abilities: Float32Array;
  /** By model and domain: the outcomes behind it. */
  readonly outcomes: Float32Array;
  /** By model and domain: tokens of an answer; NaN where none were counted. */
  readonly lengths: Float32Array;
  /** By model and family: how the figures of the shape move its own chance, beyond that of all. */
  readonly traits: Float32Array;
  /** By model: how the figures of the shape stretch its answers. */
  readonly stretch: Float32Array;
  /** By model and family: how strong it is among those seen, 0 in the middle. */
  readonly standing: Float32Array;
}

export interface KnownModel {
  readonly name: string;
  /** The share of general questions that its makers say it answers. */
  readonly claim: number;
  /** US dollars for a million tokens, where outcomes told. */
  readonly inputPrice?: number | undefined;
  readonly outputPrice?: number | undefined;
}

/** Told in the file, so that weights are never read by code that reads texts in another way. */
export const WEIGHTS_VERSION = 1;
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

/** How many numbers each array has, in the order in which they lie. */
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
    standing: models.length * families.length,
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
  bytes.set(
    new Uint8Array(routerWeights.table.buffer, routerWeights.table.byteOffset, routerWeights.table.length),
    at,
  );
  return bytes;
}

export function decodeRouterWeights(bytes: Uint8Array): RouterWeights {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (new TextDecoder().decode(bytes.subarray(0, 4)) !== MAGIC)
    throw new Error("These are no router weights.");
  const start = 8 + view.getUint32(4, true);
  const weightsHeader: WeightsHeader = JSON.parse(new TextDecoder().decode(bytes.subarray(8, start)));
  if (
    weightsHeader.version !== WEIGHTS_VERSION ||
    weightsHeader.places !== BUCKET_COUNT ||
    weightsHeader.shapes !== SHAPE_FEATURE_COUNT ||
    weightsHeader.figures !== NUMERIC_FEATURE_COUNT
  ) {
    throw new Error("The router weights are of another version. Make them anew with npm run router:train.");
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
    standing: take("standing"),
  };
  const table = new Int8Array(bytes.buffer, bytes.byteOffset + at, bytes.byteLength - at).slice();
  if (table.length !== BUCKET_COUNT * (domains.length + families.length)) {
    throw new Error("The router weights are cut off.");
  }
  return { domains, families, models, table, ...arrays };
}
