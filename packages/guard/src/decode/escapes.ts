import { type DecodedSpan, type EncodingScan, isPrintable } from "./scan-for-encodings.ts";

const PERCENT = 37;
const AMPERSAND = 38;
const BACKSLASH = 92;
const PLUS = 43;
const EQUALS = 61;
/** Fewer escapes of a kind are an address or a line of code rather than hidden text. */
const ESCAPES_MIN = 2;

/** A syntax that writes characters as numbers. */
interface EscapeSyntax {
  readonly undone: string;
  /** The first character of every escape. */
  readonly sign: number;
  /** One or several escapes in a row, so that the bytes of one character stay together. */
  readonly pattern: RegExp;
  readonly decode: (run: string) => string;
}

const NAMED_ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  shy: "",
  zwj: "",
  zwnj: "",
  Tab: "\t",
  NewLine: "\n",
  excl: "!",
  num: "#",
  period: ".",
  comma: ",",
  colon: ":",
  lowbar: "_",
  sol: "/",
};

const ESCAPE_SYNTAXES: readonly EscapeSyntax[] = [
  {
    undone: "url-escapes",
    sign: PERCENT,
    pattern: /(?:%[0-9a-f]{2})+/gi,
    decode: (run) => hexToText(run.replaceAll("%", "")),
  },
  {
    undone: "html-entities",
    sign: AMPERSAND,
    pattern: /&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,8});?/gi,
    decode: (entity) => characterOfEntity(entity.slice(1).replace(";", "")) ?? entity,
  },
  {
    undone: "unicode-escapes",
    sign: BACKSLASH,
    pattern: /\\u\{[0-9a-f]{1,6}\}|(?:\\u[0-9a-f]{4})+|(?:\\x[0-9a-f]{2})+|(?:\\[0-3][0-7]{2})+/gi,
    decode: decodeBackslash,
  },
  {
    undone: "unicode-escapes",
    sign: PLUS,
    pattern: /\bU\+[0-9a-f]{4,6}(?:[\s,;]{1,2}(?=U\+))?/gi,
    decode: (number) => characterOfCode(Number.parseInt(number.slice(2), 16)),
  },
  {
    undone: "quoted-printable",
    sign: EQUALS,
    pattern: /(?:=[0-9A-F]{2})+|=\r?\n/g,
    decode: (run) => (run.length < 3 || run.startsWith("=\r") ? "" : hexToText(run.replaceAll("=", ""))),
  },
];

export function mayHoldEscapes({ asciiCounts }: EncodingScan): boolean {
  return (
    (asciiCounts[PERCENT] ?? 0) >= ESCAPES_MIN ||
    (asciiCounts[AMPERSAND] ?? 0) >= ESCAPES_MIN ||
    (asciiCounts[BACKSLASH] ?? 0) >= ESCAPES_MIN ||
    (asciiCounts[PLUS] ?? 0) >= ESCAPES_MIN ||
    (asciiCounts[EQUALS] ?? 0) >= ESCAPES_MIN
  );
}

/** Decodes escaped characters in place. */
export function findEscapes(text: string, { asciiCounts }: EncodingScan): DecodedSpan[] {
  const found: DecodedSpan[] = [];
  for (const { undone, sign, pattern, decode } of ESCAPE_SYNTAXES) {
    if ((asciiCounts[sign] ?? 0) < ESCAPES_MIN) continue;
    const own: DecodedSpan[] = [];
    let escapes = 0;
    pattern.lastIndex = 0;
    // `matchAll` would copy the pattern.
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      const decoded = decode(match[0]);
      if (decoded === match[0] || (decoded !== "" && !isPrintable(decoded))) continue;
      escapes += Math.max(1, decoded.length);
      own.push({ start: match.index, end: match.index + match[0].length, text: decoded, undone });
    }
    if (escapes >= ESCAPES_MIN) for (const decodedSpan of own) found.push(decodedSpan);
  }
  return found;
}

function hexToText(digits: string): string {
  return Buffer.from(digits, "hex").toString("utf8");
}

function decodeBackslash(run: string): string {
  const kind = run.charAt(1).toLowerCase();
  if (kind === "x") return hexToText(run.replace(/\\x/gi, ""));
  if (run.charAt(2) === "{") return characterOfCode(Number.parseInt(run.slice(3), 16));
  let text = "";
  const width = kind === "u" ? 6 : 4;
  for (let at = 0; at < run.length; at += width) {
    const digits = kind === "u" ? run.slice(at + 2, at + 6) : run.slice(at + 1, at + 4);
    text += String.fromCharCode(Number.parseInt(digits, kind === "u" ? 16 : 8));
  }
  return text;
}

function characterOfEntity(name: string): string | undefined {
  if (!name.startsWith("#")) return NAMED_ENTITIES[name];
  const hex = name.charAt(1) === "x" || name.charAt(1) === "X";
  return characterOfCode(Number.parseInt(name.slice(hex ? 2 : 1), hex ? 16 : 10));
}

function characterOfCode(code: number): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
}
