const ALPHABET_SIZE = 128;
/** Digits are read as the letters that they imitate: no anchor that begins with a letter has any. */
const LETTERS_BY_DIGIT: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "@": "a",
  $: "s",
};

/** Capitals as small letters, digits as the letters that they imitate, white space as spaces. */
const PLAIN_CODES = Uint8Array.from({ length: ALPHABET_SIZE }, (_, code) => {
  const character = String.fromCharCode(code);
  return (LETTERS_BY_DIGIT[character] ?? character.toLowerCase()).replace(/\s/, " ").charCodeAt(0);
});
const IS_LETTER = Uint8Array.from({ length: ALPHABET_SIZE }, (_, code) =>
  /[a-z0-9_@$]/i.test(String.fromCharCode(code)) ? 1 : 0,
);
const SPACE = 32;
const NONE = 0;
const END = 1;

/** Finds out in one pass whether a text holds any of some words, which stand at the beginning of a word of it. */
export class AnchorTrie {
  /** For each node what follows on each character: another node, none, or the end of an anchor. */
  readonly #next: Uint16Array;

  constructor(anchors: readonly string[]) {
    const next: number[][] = [[], []];
    const root = 2;
    next.push([]);
    for (const anchor of anchors) {
      let node = root;
      for (let at = 0; at < anchor.length && node !== END; at += 1) {
        const code = PLAIN_CODES[anchor.charCodeAt(at)] ?? 0;
        const followers = next[node] ?? [];
        if (at === anchor.length - 1) followers[code] = END;
        else if (followers[code] === undefined) followers[code] = next.push([]) - 1;
        node = followers[code] ?? END;
      }
    }
    this.#next = new Uint16Array(next.length * ALPHABET_SIZE);
    for (const [node, followers] of next.entries())
      for (const [code, follower] of followers.entries())
        this.#next[node * ALPHABET_SIZE + code] = follower ?? NONE;
  }

  /** Whether an anchor begins at `from` or later; otherwise where one may have begun that the text breaks off. */
  search(text: string, from: number): { readonly isFound: boolean; readonly resume: number } {
    let resume = text.length;
    let wasLetter = from > 0 && isLetter(text.charCodeAt(from - 1));
    for (let at = from; at < text.length; at += 1) {
      const starts = !wasLetter;
      wasLetter = isLetter(text.charCodeAt(at));
      if (!starts || !wasLetter) continue;
      const end = this.#walk(text, at);
      if (end === END) return { isFound: true, resume: text.length };
      if (end !== NONE) resume = Math.min(resume, at);
    }
    return { isFound: false, resume };
  }

  /** The node where the text breaks off, or how it ended before. */
  #walk(text: string, start: number): number {
    let node = 2;
    let wasSpace = false;
    for (let at = start; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      const plain = code < ALPHABET_SIZE ? (PLAIN_CODES[code] ?? 0) : 0;
      if (plain === SPACE && wasSpace) continue;
      wasSpace = plain === SPACE;
      node = this.#next[node * ALPHABET_SIZE + plain] ?? NONE;
      if (node <= END) return node;
    }
    return node;
  }
}

function isLetter(code: number): boolean {
  return code < ALPHABET_SIZE && IS_LETTER[code] === 1;
}
