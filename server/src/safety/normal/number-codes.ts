import { readingOf } from "./letter-model.ts";
import { isPrintable, isWordy, type Piece } from "./piece.ts";
import type { Survey } from "./survey.ts";

/** Numbers in a row with little between them. Every gap is bounded, so that no run is read twice. */
const RUN = /(?:0[xbo]|\\x|x)?[0-9a-f]{1,8}(?:[\s,;:|_/.+-]{1,3}(?:0[xbo]|\\x|x)?[0-9a-f]{1,8}){5,}/gi;
/** Digits in a row with nothing between them. */
const SOLID = /[0-9a-f]{16,}/gi;
const PREFIX = /^(?:0[xbo]|\\?x)/i;
/** What belongs to a run before its first digit and after its last. */
const MARGIN = 8;
const CODE_MAX = 0x10ffff;

interface Writing {
  readonly undone: string;
  readonly base: number;
  readonly group: RegExp;
}

const BINARY: Writing = { undone: "binary", base: 2, group: /^[01]{7,8}$/ };
const DECIMAL: Writing = { undone: "character-codes", base: 10, group: /^\d{1,7}$/ };
const HEX: Writing = { undone: "hex", base: 16, group: /^[0-9a-f]{2}$/i };
const OCTAL: Writing = { undone: "character-codes", base: 8, group: /^0?[0-7]{2,3}$/ };

/** Text that was written as the numbers of its characters: in hex, binary, decimal or octal. */
export function findNumberCodes(text: string, { digitRuns }: Survey): Piece[] {
  const found: Piece[] = [];
  for (const run of digitRuns) {
    const from = Math.max(0, run.start - MARGIN);
    const stretch = text.slice(from, run.end + MARGIN);
    for (const [pattern, read] of READERS) {
      for (const match of stretch.matchAll(pattern)) {
        const start = from + match.index;
        const piece = read(match[0]);
        if (piece !== undefined) found.push({ start, end: start + match[0].length, ...piece });
      }
    }
  }
  return found;
}

type Read = Pick<Piece, "text" | "undone">;

const READERS: readonly (readonly [RegExp, (run: string) => Read | undefined])[] = [
  [RUN, readRun],
  [SOLID, readSolid],
];

function readRun(run: string): Read | undefined {
  const groups = run
    .split(/[\s,;:|_/.+-]+/)
    .filter((group) => group !== "")
    .map((group) => group.replace(PREFIX, ""));
  let best: Read | undefined;
  let bestFluency = Number.NEGATIVE_INFINITY;
  for (const writing of [BINARY, DECIMAL, HEX, OCTAL]) {
    const text = readGroups(groups, writing) ?? "";
    if (!isPrintable(text) || !isWordy(text)) continue;
    const { fluency } = readingOf(text);
    if (fluency > bestFluency) best = { text, undone: writing.undone };
    bestFluency = Math.max(fluency, bestFluency);
  }
  // Octets that stand together by two or four, as dumps have them.
  return best ?? (groups.every((group) => group.length % 2 === 0) ? readSolid(groups.join("")) : undefined);
}

function readGroups(groups: readonly string[], { base, group }: Writing): string | undefined {
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

function readSolid(digits: string): Read | undefined {
  if (/^[01]+$/.test(digits.slice(0, 64)) && /^[01]+$/.test(digits)) return readBits(digits);
  // Where a blob was cut, its first digit may be the second half of an octet.
  for (const skipped of [0, 1]) {
    const sample = Buffer.from(digits.slice(skipped, skipped + 48), "hex").toString("utf8");
    if (!isPrintable(sample) || !isWordy(sample)) continue;
    const text = Buffer.from(digits.slice(skipped), "hex").toString("utf8");
    if (isPrintable(text)) return { text, undone: "hex" };
  }
  return undefined;
}

function readBits(bits: string): Read | undefined {
  for (const width of [8, 7]) {
    if (bits.length % width !== 0 && bits.length < 256) continue;
    const bytes = new Uint8Array(Math.floor(bits.length / width));
    for (let at = 0; at < bytes.length; at += 1)
      bytes[at] = Number.parseInt(bits.slice(at * width, (at + 1) * width), 2);
    const text = Buffer.from(bytes).toString("utf8");
    if (isPrintable(text) && isWordy(text)) return { text, undone: "binary" };
  }
  return undefined;
}
