/** How many words in a row two texts must share to be taken for versions of one. */
const SHARED_WORDS = 9;

const LATIN_WORDS = /[a-z0-9]+/g;

/** A number for each text; those that share a run of words, directly or through others, have the same. */
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
