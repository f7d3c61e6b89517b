const FNV_PRIME = 0x01000193;
const FNV_OFFSET = 0x811c9dc5;
/** From here on, scripts without spaces between words: each character is a word. */
const UNSPACED = 0x2e80;

/** Tells the words of a text as numbers, in order, with where each begins and ends. Case and what stands between words do not count. */
export function forEachWordHash(
  text: string,
  offset: number,
  tell: (word: number, start: number, end: number) => void,
): void {
  let hash = FNV_OFFSET;
  let start = -1;
  for (let at = 0; at <= text.length; at += 1) {
    const code = at < text.length ? foldedLetter(text.charCodeAt(at)) : 0;
    if (start !== -1 && (code === 0 || code >= UNSPACED)) {
      tell(hash, start + offset, at + offset);
      start = -1;
    }
    if (code >= UNSPACED) tell(Math.imul(FNV_OFFSET ^ code, FNV_PRIME), at + offset, at + offset + 1);
    else if (code !== 0) {
      if (start === -1) {
        start = at;
        hash = FNV_OFFSET;
      }
      hash = Math.imul(hash ^ code, FNV_PRIME);
    }
  }
}

/** A letter or digit in lower case, where there is a simple one; 0: anything else. */
function foldedLetter(code: number): number {
  if (code >= 97 && code <= 122) return code;
  if (code >= 65 && code <= 90) return code + 32;
  if (code >= 48 && code <= 57) return code;
  if (code < 0xc0 || (code >= 0x2000 && code < UNSPACED) || (code >= 0x3000 && code <= 0x303f)) return 0;
  return code >= 0xff00 ? 0 : code;
}
