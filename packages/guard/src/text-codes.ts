/** Longer texts get an array of their own, so that one huge text does not keep its memory. */
const SHARED_MAX = 1 << 16;
/** Shorter texts are read faster one by one than by a call into Node. */
const SHORT = 48;

const shared = new Uint16Array(SHARED_MAX);
const sharedBytes = Buffer.from(shared.buffer);
const sharedPairs = new Int32Array(shared.buffer);
/** The text that `shared` holds; empty: a short one. Most texts are read several times in a row, for one thing after another. */
let held = "";

/**
 * The UTF-16 units of a text, as many as it has; what follows is not part of it. Reading them from an array takes half as
 * long as asking the text for each. Not to be written to, and overwritten by the next call.
 */
export function codesOf(text: string): Uint16Array {
  const { length } = text;
  if (length <= SHORT) {
    held = "";
    for (let at = 0; at < length; at += 1) shared[at] = text.charCodeAt(at);
    return shared;
  }
  if (length <= SHARED_MAX) {
    if (text !== held) {
      sharedBytes.write(text, "utf16le");
      held = text;
    }
    return shared;
  }
  // An even number of them, as they are also read in pairs.
  const codes = new Uint16Array(length + (length & 1));
  Buffer.from(codes.buffer).write(text, "utf16le");
  return codes;
}

/** The same units, two in each number. */
export function pairsOf(codes: Uint16Array): Int32Array {
  return codes === shared ? sharedPairs : new Int32Array(codes.buffer);
}
