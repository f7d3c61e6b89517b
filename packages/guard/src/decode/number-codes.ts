import { measureFluency } from "./letter-model.ts";
import { type DecodedSpan, isMostlyLetters, isPrintable } from "./piece.ts";
import type { EncodingScan } from "./survey.ts";

/** Numbers in a row with little between them. Every gap is bounded, so that no run is read twice. */
const NUMBER_RUN = /(?:0[xbo]|\\x|x)?[0-9a-f]{1,8}(?:[\s,;:|_/.+-]{1,3}(?:0[xbo]|\\x|x)?[0-9a-f]{1,8}){5,}/gi;
/** Digits in a row with nothing between them. */
const SOLID_RUN = /[0-9a-f]{16,}/gi;
const SEPARATORS = /[\s,;:|_/.+-]+/;
const PREFIXED = /[x\\]|0[bo]/i;
const PREFIX = /^(?:0[xbo]|\\?x)/i;
/** What belongs to a run before its first digit and after its last. */
const MARGIN = 8;
const CODE_MAX = 0x10ffff;
const GROUPS_OF_A_PIECE = 128;
const SAMPLE_OCTETS = 24;
/** So many bits may be the middle of more. */
const BITS_OF_A_PIECE = 1024;

interface NumberFormat {
  readonly undone: string;
  readonly base: number;
  readonly group: RegExp;
}

const BINARY: NumberFormat = { undone: "binary", base: 2, group: /^[01]{7,8}$/ };
const DECIMAL: NumberFormat = { undone: "character-codes", base: 10, group: /^\d{1,7}$/ };
const HEX: NumberFormat = { undone: "hex", base: 16, group: /^[0-9a-f]{2}$/i };
const OCTAL: NumberFormat = { undone: "character-codes", base: 8, group: /^0?[0-7]{2,3}$/ };

/** Text that was written as the numbers of its characters: in hex, binary, decimal or octal. */
export function findCharacterCodes(text: string, { digitRuns }: EncodingScan): DecodedSpan[] {
  const found: DecodedSpan[] = [];
  for (const run of digitRuns) {
    const from = Math.max(0, run.start - MARGIN);
    const stretch = text.slice(from, run.end + MARGIN);
    for (const [pattern, read] of RUN_DECODERS) {
      for (const match of stretch.matchAll(pattern)) {
        const start = from + match.index;
        const piece = read(match[0]);
        if (piece !== undefined) found.push({ start, end: start + match[0].length, ...piece });
      }
    }
  }
  return found;
}

type DecodedRun = Pick<DecodedSpan, "text" | "undone">;

const RUN_DECODERS: readonly (readonly [RegExp, (run: string) => DecodedRun | undefined])[] = [
  [NUMBER_RUN, decodeNumberRun],
  [SOLID_RUN, decodeSolidRun],
];

function decodeNumberRun(run: string): DecodedRun | undefined {
  const written = run.split(SEPARATORS);
  const groups = PREFIXED.test(run) ? written.map((group) => group.replace(PREFIX, "")) : written;
  // Where a text was cut, the first and the last of many numbers may be halves.
  return decodeNumbers(groups.length > GROUPS_OF_A_PIECE ? groups.slice(1, -1) : groups);
}

function decodeNumbers(groups: readonly string[]): DecodedRun | undefined {
  let best: DecodedRun | undefined;
  let bestFluency = Number.NEGATIVE_INFINITY;
  for (const numberFormat of [BINARY, DECIMAL, HEX, OCTAL]) {
    const text = decodeGroups(groups, numberFormat) ?? "";
    if (!isPrintable(text) || !isMostlyLetters(text)) continue;
    const { fluency } = measureFluency(text);
    if (fluency > bestFluency) best = { text, undone: numberFormat.undone };
    bestFluency = Math.max(fluency, bestFluency);
  }
  // Octets that stand together by two or four, as dumps have them.
  return (
    best ?? (groups.every((group) => group.length % 2 === 0) ? decodeSolidRun(groups.join("")) : undefined)
  );
}

function decodeGroups(groups: readonly string[], { base, group }: NumberFormat): string | undefined {
  const codes: number[] = [];
  for (const each of groups) {
    if (!group.test(each)) return undefined;
    const code = Number.parseInt(each, base);
    if (code > CODE_MAX) return undefined;
    codes.push(code);
  }
  const bytes = base !== 10 && codes.some((code) => code > 127);
  if (bytes) return Buffer.from(codes).toString("utf8");
  let text = "";
  for (const code of codes) text += String.fromCodePoint(code);
  return text;
}

function decodeSolidRun(digits: string): DecodedRun | undefined {
  if (/^[01]+$/.test(digits.slice(0, 64)) && /^[01]+$/.test(digits)) return decodeBits(digits);
  // Where a blob was cut, its first digit may be the second half of an octet.
  for (const skipped of [0, 1]) {
    const sample = Buffer.from(digits.slice(skipped, skipped + 48), "hex").toString("utf8");
    if (!isPrintable(sample) || !isMostlyLetters(sample)) continue;
    const text = Buffer.from(digits.slice(skipped), "hex").toString("utf8");
    if (isPrintable(text)) return { text, undone: "hex" };
  }
  return undefined;
}

function decodeBits(bits: string): DecodedRun | undefined {
  for (const width of [8, 7]) {
    const skipped = skippedBits(bits, width);
    if (skipped === undefined) continue;
    const text = bitsToText(bits, skipped, width);
    if (isPrintable(text) && isMostlyLetters(text)) return { text, undone: "binary" };
  }
  return undefined;
}

/** How many bits belong to an octet that was cut off, as a sample of the rest shows. */
function skippedBits(bits: string, width: number): number | undefined {
  const most = bits.length < BITS_OF_A_PIECE ? 1 : width;
  for (let skipped = 0; skipped < most; skipped += 1) {
    const sample = bitsToText(bits.slice(0, skipped + width * SAMPLE_OCTETS), skipped, width);
    if (isPrintable(sample) && isMostlyLetters(sample)) return skipped;
  }
  return undefined;
}

function bitsToText(bits: string, skipped: number, width: number): string {
  const bytes = new Uint8Array(Math.floor((bits.length - skipped) / width));
  for (let at = 0; at < bytes.length; at += 1) {
    const start = skipped + at * width;
    bytes[at] = Number.parseInt(bits.slice(start, start + width), 2);
  }
  return Buffer.from(bytes).toString("utf8");
}
