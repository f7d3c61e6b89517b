import type { Inference } from "../../domain/inference.ts";
import { mapTexts } from "./map-texts.ts";
import type { PrivateDatum } from "./private-datum.ts";
import { type Passage, type Reading, readText } from "./reading.ts";
import { inTurns } from "./turns.ts";
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

/** Takes every value out of everything that a provider would read, and keeps them in a vault. */
export async function redact(
  inference: Inference,
  find: (text: string) => readonly PrivateDatum[],
): Promise<Redacted> {
  const vault = new Vault();
  const readings = await readTexts(inference, find);
  const passages = [...readings.plain.values(), ...readings.json.values()].flatMap((read) => read.passages);
  if (passages.every(({ found }) => found.length === 0)) return { inference, vault };
  for (const { text } of passages) vault.reserve(text);
  mapTexts(inference, (text, writing) => {
    for (const passage of readings[writing].get(text)?.passages ?? []) withoutFound(passage, vault);
    return text;
  });
  const repeated = vault.values
    .filter(({ length }) => length >= REPEATED_LENGTH_MIN)
    .slice(0, REPEATED_MAX)
    .sort((a, b) => b.length - a.length);
  const withoutValues = (passage: Passage) => withoutRepeated(withoutFound(passage, vault), repeated, vault);
  const sent = mapTexts(
    inference,
    (text, writing) => readings[writing].get(text)?.write(withoutValues) ?? text,
  );
  return { inference: sent, vault };
}

/** Each text once, however often it is sent. */
async function readTexts(inference: Inference, find: (text: string) => readonly PrivateDatum[]) {
  const texts = { plain: new Set<string>(), json: new Set<string>() };
  mapTexts(inference, (text, writing) => {
    texts[writing].add(text);
    return text;
  });
  const readings = { plain: new Map<string, Reading>(), json: new Map<string, Reading>() };
  for (const text of texts.plain) readings.plain.set(text, await inTurns(readText(find, text, "plain")));
  for (const text of texts.json) readings.json.set(text, await inTurns(readText(find, text, "json")));
  return readings;
}

function withoutFound({ text, found }: Passage, vault: Vault): string {
  let result = "";
  let done = 0;
  for (const { kind, start, end } of found) {
    result += text.slice(done, start) + vault.placeholderFor(kind, text.slice(start, end));
    done = end;
  }
  return result + text.slice(done);
}

/** A value that words gave away once may stand elsewhere without them. */
function withoutRepeated(text: string, values: readonly string[], vault: Vault): string {
  let result = text;
  for (const value of values) {
    const placeholder = vault.placeholderOf(value);
    if (placeholder !== undefined && result.includes(value)) result = result.split(value).join(placeholder);
  }
  return result;
}

/** As it is written within a string of JSON's. */
export function escapeJson(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}
