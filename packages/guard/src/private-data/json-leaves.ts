import { RESUMABLE_MIN_CHARACTERS, type Resumable } from "../resumable.ts";

/** A string, a number or the name of a field, where it stands in JSON. */
export interface JsonLeaf {
  /** What it says, without quotes and escapes. */
  readonly text: string;
  /** Offsets into the JSON, quotes included, end exclusive. */
  readonly start: number;
  readonly end: number;
}

/** What is shorter is nobody's: no value is, and most numbers and many words are. */
const LEAF_CHARACTERS_MIN = 4;
/** So many are changed without a stop. */
const REPLACED_LEAVES_PER_STEP = 64;
const JSON_NUMBER = /[-\d][\d.eE+-]*/y;

/** Everything in a JSON text that may hold words, in order; undefined where the text is no JSON. */
export function* parseJsonLeaves(json: string): Resumable<readonly JsonLeaf[] | undefined> {
  if (!isJson(json)) return undefined;
  const leaves: JsonLeaf[] = [];
  let at = 0;
  let stopped = 0;
  while (at < json.length) {
    if (at - stopped >= RESUMABLE_MIN_CHARACTERS) {
      stopped = at;
      yield;
    }
    const end = json[at] === '"' ? endOfString(json, at) : endOfNumber(json, at);
    if (end !== undefined && end - at >= LEAF_CHARACTERS_MIN) {
      const written = json.slice(at, end);
      leaves.push({ text: String(json[at] === '"' ? JSON.parse(written) : written), start: at, end });
    }
    at = end ?? at + 1;
  }
  return leaves;
}

/** The same JSON with other words in its leaves. All else stays to the letter, as long numbers would not survive a reading. */
export function* replaceJsonLeaves<Leaf extends JsonLeaf>(
  json: string,
  leaves: readonly Leaf[],
  change: (leaf: Leaf) => Resumable<string>,
): Resumable<string> {
  let result = "";
  let done = 0;
  for (const [index, leaf] of leaves.entries()) {
    if (index % REPLACED_LEAVES_PER_STEP === REPLACED_LEAVES_PER_STEP - 1) yield;
    const changed = yield* change(leaf);
    if (changed === leaf.text) continue;
    result += json.slice(done, leaf.start) + JSON.stringify(changed);
    done = leaf.end;
  }
  return result + json.slice(done);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return at + 1;
}

function endOfNumber(json: string, start: number): number | undefined {
  JSON_NUMBER.lastIndex = start;
  return JSON_NUMBER.test(json) ? JSON_NUMBER.lastIndex : undefined;
}
