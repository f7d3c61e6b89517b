import type { Inference } from "@trunkline/core/inference.ts";
import { STEP_CHARACTERS, type Steps, Turn } from "../resumable.ts";
import type { Find } from "./find-long.ts";
import { mapTexts, type Writing } from "./map-request-texts.ts";
import { type Passage, type Reading, readText } from "./reading.ts";
import { Vault } from "./vault.ts";

export interface Redacted {
  /** What may be sent: the very request where nothing was taken out. */
  readonly inference: Inference;
  readonly vault: Vault;
}

/** Values that are looked for wherever they stand again. Who sends more of them has them taken out where they are found. */
const REPEATED_MAX = 64;
/** Shorter ones are parts of other words. */
const REPEATED_LENGTH_MIN = 6;
/** So many are taken out without a stop. */
const VALUES_AT_ONCE = 256;

/** Takes every value out of everything that a provider would read, and keeps them in a vault. */
export async function redact(inference: Inference, find: Find): Promise<Redacted> {
  const vault = new Vault();
  const turn = new Turn();
  const texts = textsOf(inference);
  const readings = { plain: new Map<string, Reading>(), json: new Map<string, Reading>() };
  for (const { text, writing } of texts)
    readings[writing].set(text, await turn.take(readText(find, text, writing)));
  const all = texts.flatMap(({ text, writing }) => readings[writing].get(text) ?? []);
  const passages = all.flatMap((read) => read.passages);
  if (passages.every(({ found }) => found.length === 0)) return { inference, vault };
  for (const { text } of passages) await turn.take(vault.reserve(text));
  for (const passage of passages) await turn.take(withoutFound(passage, vault));
  const repeated = vault.values
    .filter(({ length }) => length >= REPEATED_LENGTH_MIN)
    .slice(0, REPEATED_MAX)
    .sort((a, b) => b.length - a.length);
  const withoutValues = (passage: Passage) => withoutAny(passage, repeated, vault);
  const written = { plain: new Map<string, string>(), json: new Map<string, string>() };
  for (const { text, writing } of texts) {
    const read = readings[writing].get(text);
    if (read !== undefined) written[writing].set(text, await turn.take(read.write(withoutValues)));
  }
  const sent = mapTexts(inference, (text, writing) => written[writing].get(text) ?? text);
  return { inference: sent, vault };
}

/** Everything that is read, in order, and each text once, however often it is sent. */
function textsOf(inference: Inference) {
  const known = { plain: new Set<string>(), json: new Set<string>() };
  const texts: { readonly text: string; readonly writing: Writing }[] = [];
  mapTexts(inference, (text, writing) => {
    if (!known[writing].has(text)) texts.push({ text, writing });
    known[writing].add(text);
    return text;
  });
  return texts;
}

function* withoutFound({ text, found }: Passage, vault: Vault): Steps<string> {
  let result = "";
  let done = 0;
  for (const [index, { kind, start, end }] of found.entries()) {
    if (index % VALUES_AT_ONCE === VALUES_AT_ONCE - 1) yield;
    result += text.slice(done, start) + vault.placeholderFor(kind, text.slice(start, end));
    done = end;
  }
  return result + text.slice(done);
}

/** A value that words gave away once may stand elsewhere without them. */
function* withoutAny(passage: Passage, values: readonly string[], vault: Vault): Steps<string> {
  let result = yield* withoutFound(passage, vault);
  for (const value of values) {
    if (result.length >= STEP_CHARACTERS) yield;
    const placeholder = vault.placeholderOf(value);
    if (placeholder !== undefined && result.includes(value)) result = result.split(value).join(placeholder);
  }
  return result;
}

/** As it is written within a string of JSON's. */
export function escapeJson(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}
