/** Joined at least this often, in characters. */
const STEP_MIN = 256;

/**
 * Adds a piece to a text that grows by many small ones. V8 keeps such a text as a chain of its pieces until it is read,
 * which takes several times the memory of the text; so it is read whenever it has grown by a quarter.
 */
export function appendText(text: string, piece: string): string {
  const longer = text + piece;
  const step = Math.max(STEP_MIN, 1 << (29 - Math.clz32(longer.length)));
  // Reading any character joins the pieces.
  if (Math.floor(text.length / step) !== Math.floor(longer.length / step)) longer.charCodeAt(0);
  return longer;
}
