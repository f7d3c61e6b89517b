import type { Inference } from "../../domain/inference.ts";
import { findLong } from "./find-long.ts";
import { mapTexts, type Writing } from "./map-texts.ts";
import type { PrivateDatum } from "./private-datum.ts";
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
  const texts = new Set<string>();
  mapTexts(inference, (text) => {
    texts.add(text);
    return text;
  });
  const foundIn = new Map<string, readonly PrivateDatum[]>();
  for (const text of texts) {
    const found = await findLong(find, text);
    if (found.length > 0) foundIn.set(text, found);
  }
  if (foundIn.size === 0) return { inference, vault };
  for (const text of texts) vault.reserve(text);
  mapTexts(inference, (text, writing) => {
    for (const { kind, start, end } of foundIn.get(text) ?? [])
      vault.placeholderFor(kind, read(text.slice(start, end), writing));
    return text;
  });
  const repeated = vault.values
    .filter(({ length }) => length >= REPEATED_LENGTH_MIN)
    .slice(0, REPEATED_MAX)
    .sort((a, b) => b.length - a.length);
  const sent = mapTexts(inference, (text, writing) =>
    withoutRepeated(withoutFound(text, writing, foundIn.get(text) ?? [], vault), writing, repeated, vault),
  );
  return { inference: sent, vault };
}

function withoutFound(text: string, writing: Writing, found: readonly PrivateDatum[], vault: Vault): string {
  let result = "";
  let done = 0;
  for (const { kind, start, end } of found) {
    result += text.slice(done, start) + vault.placeholderFor(kind, read(text.slice(start, end), writing));
    done = end;
  }
  return result + text.slice(done);
}

/** A value that words gave away once may stand elsewhere without them. */
function withoutRepeated(text: string, writing: Writing, values: readonly string[], vault: Vault): string {
  let result = text;
  for (const value of values) {
    const written = writing === "json" ? escapeJson(value) : value;
    const placeholder = vault.placeholderOf(value);
    if (placeholder !== undefined && result.includes(written))
      result = result.split(written).join(placeholder);
  }
  return result;
}

function read(written: string, writing: Writing): string {
  if (writing === "plain") return written;
  try {
    return String(JSON.parse(`"${written}"`));
  } catch {
    return written;
  }
}

/** As it is written within a string of JSON's. */
export function escapeJson(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}
