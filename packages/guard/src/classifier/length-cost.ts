/** Any long text has a little of everything, so that the worst of it, or all of it together, proves less the longer it is. */

/** No scene is built around a harmful request with fewer bytes: a shorter text is judged by how it asks. In bytes, as a word of Chinese has fewer letters. */
const SCENARIO_BYTES_MIN = 150;
/** Beyond so many characters, twice as many cost so much. */
const LONG_SCENARIO_CHARACTERS = 600;
const SCENARIO_LENGTH_PENALTY = 1;
const LONG_DOCUMENT_CHARACTERS = 300;
const DOCUMENT_LENGTH_PENALTY = 0.5;

/** For how sure the model is of a scene, from what it makes of all of a text. */
export function adjustScenarioScore(raw: number, text: string): number {
  if (!canBeScenario(text)) return Number.NEGATIVE_INFINITY;
  return raw - SCENARIO_LENGTH_PENALTY * doublingsOver(LONG_SCENARIO_CHARACTERS, text.length);
}

export function canBeScenario(text: string): boolean {
  return text.length >= SCENARIO_BYTES_MIN || Buffer.byteLength(text) >= SCENARIO_BYTES_MIN;
}

/** For how sure it is of an order in a document, from what it makes of the worst window and the worst sentence. */
export function adjustDocumentScore(raw: number, text: string): number {
  return raw - DOCUMENT_LENGTH_PENALTY * doublingsOver(LONG_DOCUMENT_CHARACTERS, text.length);
}

function doublingsOver(least: number, length: number): number {
  return Math.max(0, Math.log2(length / least));
}
