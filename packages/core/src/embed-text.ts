/** Accents on Latin, Greek and Cyrillic letters: words are compared without them. */
const COMBINING_ACCENTS = /[\u0300-\u036f]/g;
/** Scripts without spaces between words come as long runs; all others come word by word. */
const UNSPACED_LETTER =
  "\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}";
const RUNS = new RegExp(`[[${UNSPACED_LETTER}]&&[\\p{L}\\p{M}]]+|[[\\p{L}\\p{M}\\p{N}]--[${UNSPACED_LETTER}]]+`, "gv");
const UNSPACED = new RegExp(`^[${UNSPACED_LETTER}]`, "v");

const NGRAM_WEIGHT = 0.35;
const PAIR_WEIGHT = 0.5;
/** Short words are mostly function words, and say least about a text's subject. */
const SHORTEST_WEIGHT = 0.25;
const FULL_WEIGHT_LENGTH = 6;

/** Seeds that keep words, n-grams and pairs apart, so that a word is not confused with a part of another. */
const WORD_SEED = 0x9e3779b1;
const NGRAM_SEED = 0x85ebca6b;
const PAIR_SEED = 0xc2b2ae35;

interface Feature {
  readonly weight: number;
  count: number;
}

/**
 * A text as a vector: texts that share words, parts of words and neighbouring words are close, others nearly
 * orthogonal. It knows spelling, not meaning. The same text gives the same vector on every machine. Vectors have length
 * 1, so the scalar product of two is their similarity. Takes time linear in the text. An empty text gives the zero
 * vector.
 */
export function embedText(text: string, dimensions: number): Float32Array {
  const features = extractFeatures(text);
  const point = new Float32Array(dimensions);
  for (const [hash, { weight, count: times }] of features) {
    const value = weight * (1 + Math.log(times));
    const place = hash % dimensions;
    // A random sign per feature, so that hash collisions cancel out on average.
    point[place] = (point[place] ?? 0) + ((mixBits(hash) & 1) === 0 ? value : -value);
  }
  const [first] = features.keys();
  // Two features alone can cancel each other; then one of them is better than the zero vector.
  if (first !== undefined && point.every((value) => value === 0)) point[first % dimensions] = 1;
  return toUnitLength(point);
}

/** The similarity of two vectors of unit length: 1 for the same text, about 0 for nothing in common. */
export function cosineSimilarity(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let place = 0; place < one.length; place++) sum += (one[place] ?? 0) * (other[place] ?? 0);
  return sum;
}

function extractFeatures(text: string): Map<number, Feature> {
  const features = new Map<number, Feature>();
  const plain = text.normalize("NFKD").replace(COMBINING_ACCENTS, "").toLowerCase();
  let before: number | undefined;
  for (const [run] of plain.matchAll(RUNS)) {
    if (UNSPACED.test(run)) {
      addNgrams(features, run, 1, NGRAM_WEIGHT);
      addNgrams(features, run, 2, 2 * NGRAM_WEIGHT);
      before = undefined;
      continue;
    }
    const weight = Math.max(SHORTEST_WEIGHT, Math.min(1, (run.length / FULL_WEIGHT_LENGTH) ** 1.5));
    const word = hashOf(WORD_SEED, run, 0, run.length);
    addFeature(features, word, weight);
    if (before !== undefined) addFeature(features, mixBits(before ^ Math.imul(word, PAIR_SEED)), PAIR_WEIGHT * weight);
    before = word;
    const framed = `<${run}>`;
    addNgrams(features, framed, 3, NGRAM_WEIGHT * weight);
    addNgrams(features, framed, 4, NGRAM_WEIGHT * weight);
  }
  // A text without words, such as a row of symbols, is represented by its characters.
  if (features.size === 0) addNgrams(features, plain, 1, 1);
  return features;
}

function addNgrams(features: Map<number, Feature>, run: string, length: number, weight: number): void {
  for (let start = 0; start + length <= run.length; start++) {
    addFeature(features, hashOf(NGRAM_SEED, run, start, start + length), weight);
  }
}

function addFeature(features: Map<number, Feature>, hash: number, weight: number): void {
  const feature = features.get(hash);
  if (feature === undefined) features.set(hash, { weight, count: 1 });
  else feature.count++;
}

/** A 32-bit hash of a substring, the same on every machine. */
function hashOf(kind: number, text: string, start: number, end: number): number {
  let hash = kind;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return mixBits(hash);
}

/** Spreads every bit of a number over all its bits. */
function mixBits(number: number): number {
  let bits = number;
  bits = Math.imul(bits ^ (bits >>> 16), 0x7feb352d);
  bits = Math.imul(bits ^ (bits >>> 15), 0x846ca68b);
  return (bits ^ (bits >>> 16)) >>> 0;
}

function toUnitLength(point: Float32Array): Float32Array {
  const length = Math.sqrt(point.reduce((sum, value) => sum + value * value, 0));
  return length === 0 ? point : point.map((value) => value / length);
}
