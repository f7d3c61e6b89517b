import { splitSentences } from "../builtin/text.ts";

export interface Doc {
  /** As shown to readers, for example `docs/quick-start.md`. */
  readonly file: string;
  readonly text: string;
}

/** The smallest unit of an answer. */
export interface Passage {
  readonly kind: "sentence" | "item" | "row" | "code";
  readonly text: string;
  /** Passages of one paragraph, list or table share this number. */
  readonly block: number;
}

/** The content under one heading. */
export interface Section {
  readonly file: string;
  /** From the file's title down to this heading. */
  readonly headings: readonly string[];
  readonly passages: readonly Passage[];
}

const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/;
const FENCE = /^\s*(`{3,}|~{3,})/;
const ITEM = /^\s*(?:[-*+]|\d+[.)])\s+/;
const ROW = /^\s*\|/;
const RULE = /^\s*(?:[-*_]\s*){3,}$/;

/** Splits a Markdown file at its headings, except in code. */
export function sectionsOf(doc: Doc): Section[] {
  const sections: Section[] = [];
  const headings: string[] = [];
  let body: string[] = [];
  let fence: string | undefined;
  const close = () => {
    const passages = passagesOf(body);
    if (passages.length > 0) {
      sections.push({
        file: doc.file,
        headings: headings.filter((heading) => heading !== undefined),
        passages,
      });
    }
    body = [];
  };
  for (const line of linesOf(doc.text)) {
    const mark = FENCE.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined;
    } else if (mark !== undefined) {
      fence = mark;
    }
    const heading = fence === undefined && mark === undefined ? HEADING.exec(line) : null;
    if (heading === null) {
      body.push(line);
      continue;
    }
    close();
    headings.length = Math.min(headings.length, (heading[1]?.length ?? 1) - 1);
    headings.push(plainOf(heading[2] ?? ""));
  }
  close();
  return sections;
}

function linesOf(markdown: string): string[] {
  return markdown
    .replace(/\r\n?/g, "\n")
    .replace(/^---\n[\s\S]*?\n---\n/, "")
    .replace(/<!--[\s\S]*?-->/g, "")
    .split("\n");
}

/** Reads the lines under a heading block by block. */
function passagesOf(lines: readonly string[]): Passage[] {
  const passages: Passage[] = [];
  let block = 0;
  let at = 0;
  /** Takes lines while they belong to the block. */
  const take = (belongs: (line: string) => boolean): string[] => {
    const taken: string[] = [];
    for (let line = lines[at]; line !== undefined && belongs(line); line = lines[at]) {
      taken.push(line);
      at += 1;
    }
    return taken;
  };
  const put = (kind: Passage["kind"], texts: readonly string[]) => {
    for (const text of texts) if (text !== "") passages.push({ kind, text, block });
    block += 1;
  };
  while (at < lines.length) {
    const line = lines[at] ?? "";
    const fence = FENCE.exec(line)?.[1];
    if (fence !== undefined) {
      at += 1;
      const code = take((next) => !next.trim().startsWith(fence));
      at += 1;
      put("code", [[line.trim(), ...code, fence].join("\n")]);
    } else if (ROW.test(line)) {
      put("row", rowsOf(take((next) => ROW.test(next))));
    } else if (ITEM.test(line)) {
      put("item", itemsOf(take((next) => next.trim() !== "" && !FENCE.test(next) && !ROW.test(next))));
    } else if (line.trim() === "" || RULE.test(line)) {
      at += 1;
    } else {
      const prose = take((next) => next.trim() !== "" && !FENCE.test(next) && !ITEM.test(next) && !ROW.test(next));
      put("sentence", splitSentences(plainOf(prose.map((next) => next.replace(/^\s*>\s?/, "")).join("\n"))));
    }
  }
  return passages;
}

/** List items with their continuation lines. */
function itemsOf(lines: readonly string[]): string[] {
  const items: string[] = [];
  for (const line of lines) {
    if (ITEM.test(line)) items.push(line.trim().replace(/^[*+]\s+/, "- "));
    else items.push(`${items.pop() ?? "-"} ${line.trim()}`);
  }
  return items.map(plainOf);
}

/** Table rows as phrases: the first cell, then the others, named by their column from the third on. */
function rowsOf(lines: readonly string[]): string[] {
  const [header = [], ...rows] = lines.map(cellsOf).filter((cells) => !cells.every((cell) => /^:?-*:?$/.test(cell)));
  return rows.map((cells) => {
    const [first = "", ...others] = cells;
    const named = others
      .map((cell, index) => (index === 0 || cell === "" ? cell : `${header[index + 1] ?? ""}: ${cell}`))
      .filter((cell) => cell !== "");
    return `- ${first}: ${named.join("; ")}`;
  });
}

function cellsOf(line: string): string[] {
  return line
    .trim()
    .replace(/^\||\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => plainOf(cell.trim().replaceAll("\\|", "|")));
}

/** Plain text of Markdown: links become their text; images and tags are removed. */
function plainOf(markdown: string): string {
  return markdown
    .replace(/!\[[^\]]*\]\([^)]*\)/g, "")
    .replace(/\[([^\]]+)\]\([^)]*\)/g, "$1")
    .replace(/<\/?(?:a|p|b|i|br|img|div|span|details|summary|sub|sup|picture|source|kbd|center|h\d)\b[^>]*>/gi, "")
    .trim();
}
