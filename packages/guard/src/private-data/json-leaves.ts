import { STEP_CHARACTERS, type Steps } from "../resumable.ts";

/** A string, a number or the name of a field, where it stands in JSON. */
export interface JsonLeaf {
  /** What it says, without quotes and escapes. */
  readonly text: string;
  /** Offsets into the JSON, quotes included, end exclusive. */
  readonly start: number;
  readonly end: number;
}

/** What is shorter is nobody's: no value is, and most numbers and many words are. */
const LENGTH_MIN = 4;
/** So many are changed without a stop. */
const LEAVES_AT_ONCE = 64;
const NUMBER = /[-\d][\d.eE+-]*/y;

/** Everything in a JSON text that may hold words, in order; undefined where the text is no JSON. */
export function* jsonLeavesOf(json: string): Steps<readonly JsonLeaf[] | undefined> {
  if (!isJson(json)) return undefined;
  const leaves: JsonLeaf[] = [];
  let at = 0;
  let stopped = 0;
  while (at < json.length) {
    if (at - stopped >= STEP_CHARACTERS) {
      stopped = at;
      yield;
    }
    const end = json[at] === '"' ? endOfString(json, at) : endOfNumber(json, at);
    if (end !== undefined && end - at >= LENGTH_MIN) {
      const written = json.slice(at, end);
      leaves.push({ text: String(json[at] === '"' ? JSON.parse(written) : written), start: at, end });
    }
    at = end ?? at + 1;
  }
  return leaves;
}

/** The same JSON with other words in its leaves. All else stays to the letter, as long numbers would not survive a reading. */
export function* withLeaves<Leaf extends JsonLeaf>(
  json: string,
  leaves: readonly Leaf[],
  change: (leaf: Leaf) => Steps<string>,
): Steps<string> {
  let result = "";
  let done = 0;
  for (const [index, leaf] of leaves.entries()) {
    if (index % LEAVES_AT_ONCE === LEAVES_AT_ONCE - 1) yield;
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
  NUMBER.lastIndex = start;
  return NUMBER.test(json) ? NUMBER.lastIndex : undefined;
}
