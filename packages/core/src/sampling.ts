/** Pseudo-random numbers from 0 to 1, the same for the same seed. */
export function randomFromSeed(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

/** The numbers below a count, in random order. */
export function shuffledIndexes(count: number, random: () => number): Int32Array {
  const order = Int32Array.from({ length: count }, (_, at) => at);
  for (let at = count - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    const swapped = order[at] ?? 0;
    order[at] = order[other] ?? 0;
    order[other] = swapped;
  }
  return order;
}

/** How many consecutive words two texts must share to count as versions of one. */
const SHARED_WORDS = 9;

const LATIN_WORDS = /[a-z0-9]+/g;

/** A group number for each text: texts that share a run of words, directly or through others, have the same. */
export function groupNearDuplicates(texts: readonly string[], pattern = LATIN_WORDS): number[] {
  const parents = texts.map((_, at) => at);
  const rootOf = (at: number): number => {
    let root = at;
    while (parents[root] !== root) root = parents[root] ?? root;
    parents[at] = root;
    return root;
  };
  const firstWith = new Map<string, number>();
  texts.forEach((text, at) => {
    const words = text.toLowerCase().match(pattern) ?? [];
    for (let start = 0; start === 0 || start + SHARED_WORDS <= words.length; start++) {
      const run = words.slice(start, start + SHARED_WORDS).join(" ");
      const other = firstWith.get(run);
      if (other === undefined) firstWith.set(run, at);
      else parents[rootOf(at)] = rootOf(other);
    }
  });
  return texts.map((_, at) => rootOf(at));
}
