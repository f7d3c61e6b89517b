/** A piece of code and what it is; undefined: nothing worth a colour. */
export interface Token {
  readonly kind: TokenKind | undefined;
  readonly text: string;
}

export type TokenKind = "comment" | "string" | "number" | "keyword" | "name";

/** The languages that are coloured; any other is shown as it is. */
export type Language = "bash" | "json" | "javascript" | "typescript" | "python" | "http" | "yaml" | "text";

type Rule = readonly [kind: TokenKind | undefined, pattern: string];

const STRINGS: Rule = ["string", String.raw`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'`];
const NUMBERS: Rule = ["number", String.raw`\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b`];
const SCRIPT: readonly Rule[] = [
  ["comment", String.raw`\/\/[^\n]*|\/\*[\s\S]*?\*\/`],
  ["string", "`(?:[^`\\\\]|\\\\.)*`"],
  STRINGS,
  [
    "keyword",
    String.raw`\b(?:async|await|break|case|catch|class|const|continue|default|else|export|extends|false|finally|for|from|function|if|import|in|interface|let|new|null|of|return|switch|throw|true|try|type|typeof|undefined|while|yield)\b`,
  ],
  ["name", String.raw`\b[A-Za-z_$][\w$]*(?=\()`],
  NUMBERS,
];

const RULES: Readonly<Record<Exclude<Language, "text">, readonly Rule[]>> = {
  javascript: SCRIPT,
  typescript: SCRIPT,
  python: [
    ["comment", String.raw`#[^\n]*`],
    ["string", String.raw`"""[\s\S]*?"""|'''[\s\S]*?'''`],
    STRINGS,
    [
      "keyword",
      String.raw`\b(?:and|as|async|await|break|class|continue|def|elif|else|except|False|finally|for|from|if|import|in|is|lambda|None|not|or|pass|raise|return|True|try|while|with|yield)\b`,
    ],
    ["name", String.raw`\b[A-Za-z_]\w*(?=\()`],
    NUMBERS,
  ],
  json: [
    ["name", String.raw`"(?:[^"\\\n]|\\.)*"(?=\s*:)`],
    STRINGS,
    ["keyword", String.raw`\b(?:true|false|null)\b`],
    ["number", String.raw`-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b`],
  ],
  bash: [
    // A # counts as a comment only where a word could begin.
    ["comment", String.raw`(?<![^\s])#[^\n]*`],
    ["string", String.raw`"(?:[^"\\]|\\[\s\S])*"|'[^']*'`],
    ["name", String.raw`\$\{?\w+\}?`],
    [
      "keyword",
      String.raw`(?<![\w/.-])(?:curl|export|npm|npx|node|docker|python|pip|if|then|fi|for|do|done)(?![\w/.-])`,
    ],
    ["number", String.raw`(?<=\s)--?[A-Za-z][\w-]*`],
  ],
  http: [
    ["keyword", String.raw`\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\b`],
    ["name", String.raw`(?<=^|\n)[A-Za-z][\w-]*(?=:)`],
    STRINGS,
    NUMBERS,
  ],
  yaml: [
    ["comment", String.raw`(?<![^\s])#[^\n]*`],
    ["name", String.raw`(?<=^|\n|\s)[\w./-]+(?=:(?:\s|$))`],
    STRINGS,
    ["keyword", String.raw`\b(?:true|false|null)\b`],
    NUMBERS,
  ],
};

/** Cuts code into pieces for colouring. The pieces together are the code, character by character. */
export function highlight(code: string, language: Language): readonly Token[] {
  if (language === "text") return [{ kind: undefined, text: code }];
  const rules = RULES[language];
  const pattern = new RegExp(rules.map(([, source]) => `(${source})`).join("|"), "g");
  const tokens: Token[] = [];
  let end = 0;
  for (const match of code.matchAll(pattern)) {
    if (match.index > end) tokens.push({ kind: undefined, text: code.slice(end, match.index) });
    const rule = match.slice(1).findIndex((group) => group !== undefined);
    tokens.push({ kind: rules[rule]?.[0], text: match[0] });
    end = match.index + match[0].length;
  }
  if (end < code.length) tokens.push({ kind: undefined, text: code.slice(end) });
  return tokens;
}
