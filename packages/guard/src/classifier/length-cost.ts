/** Any long text has a little of everything, so that the worst of it, or all of it together, proves less the longer it is. */

/** No scene is built around a harmful request with fewer bytes: a shorter text is judged by how it asks. In bytes, as a word of Chinese has fewer letters. */
const SCENE_LEAST = 150;
/** Beyond so many characters, twice as many cost so much. */
const LONG_SCENE = 600;
const SCENE_COST = 1;
const LONG_DOCUMENT = 300;
const DOCUMENT_COST = 0.5;

/** For how sure the model is of a scene, from what it makes of all of a text. */
export function rawOfScene(raw: number, text: string): number {
  if (!mayBeScene(text)) return Number.NEGATIVE_INFINITY;
  return raw - SCENE_COST * doublingsOver(LONG_SCENE, text.length);
}

export function mayBeScene(text: string): boolean {
  return text.length >= SCENE_LEAST || Buffer.byteLength(text) >= SCENE_LEAST;
}

/** For how sure it is of an order in a document, from what it makes of the worst window and the worst sentence. */
export function rawOfDocument(raw: number, text: string): number {
  return raw - DOCUMENT_COST * doublingsOver(LONG_DOCUMENT, text.length);
}

function doublingsOver(least: number, length: number): number {
  return Math.max(0, Math.log2(length / least));
}
