import { COMPATIBLE_PROVIDERS } from "../formats/openai/compatible-providers.ts";
import { KNOWN_PROVIDERS } from "./known-providers.ts";

/** The service's own names: a model under one of them would pass for the operator's. */
const OWN_NAMES = ["trunkline", "builtin", "operator", "local", "auto"];

/** Names that discovery, the built-in models or the operator's own models use. No other account ever has one. */
export const KEPT_PROVIDER_NAMES: readonly string[] = [
  ...new Set([...OWN_NAMES, ...KNOWN_PROVIDERS.map(({ id }) => id), ...COMPATIBLE_PROVIDERS.map(({ id }) => id)]),
];

/** Well-known names that discovery does not use. Only the operator gives one to an account. */
const BRANDS = [
  ...["amazon", "aws", "microsoft", "meta", "facebook", "apple", "ibm", "watsonx", "oracle", "intel", "tencent"],
  ...["baidu", "bytedance", "huawei", "qwen", "kimi", "minimax", "zhipu", "stability", "stabilityai", "elevenlabs"],
  ...["gemini", "vertex", "vertexai", "claude", "chatgpt", "gpt", "llama", "grok", "copilot", "mistralai", "googleai"],
  ...["replicate", "anyscale", "databricks", "snowflake", "assemblyai", "deepgram", "voyageai", "portkey"],
  ...["official", "verified", "admin", "administrator", "system", "support", "security", "billing", "root", "default"],
];

/**
 * kept: never another account's. look-alike: it could be mistaken for a known provider or for the service, so only the
 * operator gives it to an account.
 */
export type ProviderNameStanding = "free" | "look-alike" | "kept";

/** A shorter name is part of too many words. */
const PART_LENGTH_MIN = 6;

const RESERVED = new Set([...KEPT_PROVIDER_NAMES, ...BRANDS].map(fold));
const RESERVED_PARTS = [...RESERVED].filter((name) => name.length >= PART_LENGTH_MIN);

export function standingOfProviderName(name: string): ProviderNameStanding {
  if (KEPT_PROVIDER_NAMES.includes(name)) return "kept";
  const folded = fold(name);
  const pieces = [folded, fold(name.replace(/\d+$/, "")), ...name.split(/[^a-z0-9]/i).map(fold)];
  const isLikeOne =
    pieces.some((piece) => RESERVED.has(piece)) ||
    RESERVED_PARTS.some((part) => folded.includes(part) || pieces.some((piece) => isOneEditApart(piece, part)));
  return isLikeOne ? "look-alike" : "free";
}

const LETTER_OF_DIGIT: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "l",
  "3": "e",
  "4": "a",
  "5": "s",
  "6": "g",
  "7": "t",
  "8": "b",
  "9": "g",
};

/** One form for all names that look alike. Letters outside of ASCII never get this far: a provider name has none. */
function fold(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "")
    .replace(/\d/g, (digit) => LETTER_OF_DIGIT[digit] ?? digit)
    .replace(/i/g, "l")
    .replace(/rn/g, "m")
    .replace(/vv/g, "w");
}

/** Whether a letter was added, left out, changed, or exchanged with its neighbour. */
function isOneEditApart(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start++;
  const restIsSame = (skipOne: number, skipOther: number) =>
    one.slice(start + skipOne) === other.slice(start + skipOther);
  const isSwapped =
    one[start] === other[start + 1] && one[start + 1] === other[start] && one[start] !== undefined && restIsSame(2, 2);
  return isSwapped || restIsSame(1, 1) || restIsSame(1, 0) || restIsSame(0, 1);
}
