/** A stretch of a line. */
export type Inline =
  | { readonly kind: "text" | "code" | "strong" | "emphasis"; readonly text: string }
  | { readonly kind: "link"; readonly text: string; readonly href: string };

/** A few lines that belong together. */
export type Passage =
  | { readonly kind: "paragraph" | "heading" | "quote" | "plain"; readonly text: string }
  | {
      readonly kind: "list";
      readonly isOrdered: boolean;
      readonly start: number;
      readonly items: readonly string[];
    }
  | { readonly kind: "rule" };

const ITEM = /^ {0,6}(?:[-*+]|(\d{1,9})[.)])[ \t]+(.*)$/;

/** The small part of Markdown that is worth showing. What is not known stays the text that it is. */
export function passagesOf(text: string): readonly Passage[] {
  const passages: Passage[] = [];
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const last = passages.at(-1);
    const heading = /^ {0,3}#{1,6}[ \t]+(.*)$/.exec(line)?.[1];
    const quote = /^ {0,3}>[ \t]?(.*)$/.exec(line)?.[1];
    const item = ITEM.exec(line);
    if (heading !== undefined) passages.push({ kind: "heading", text: heading.replace(/[ \t]+#+$/, "") });
    else if (/^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/.test(line)) passages.push({ kind: "rule" });
    else if (item !== null) addItem(passages, item);
    else if (quote !== undefined) addLine(passages, "quote", quote);
    // A table stays as it was written, its columns under each other.
    else if (/^\s*\|/.test(line)) addLine(passages, "plain", line);
    else if (last?.kind === "list" && /^\s{2,}/.test(line)) continueItem(passages, last, line.trim());
    else addLine(passages, "paragraph", line);
  }
  return passages;
}

function addLine(passages: Passage[], kind: "paragraph" | "quote" | "plain", line: string): void {
  const last = passages.at(-1);
  if (last?.kind === kind) passages[passages.length - 1] = { kind, text: `${last.text}\n${line}` };
  else passages.push({ kind, text: line });
}

function addItem(passages: Passage[], [, number, text = ""]: RegExpExecArray): void {
  const last = passages.at(-1);
  const isOrdered = number !== undefined;
  if (last?.kind === "list" && last.isOrdered === isOrdered)
    passages[passages.length - 1] = { ...last, items: [...last.items, text] };
  else passages.push({ kind: "list", isOrdered, start: Number(number ?? 1), items: [text] });
}

function continueItem(passages: Passage[], last: Passage & { kind: "list" }, line: string): void {
  const items = last.items.with(-1, `${last.items.at(-1) ?? ""}\n${line}`);
  passages[passages.length - 1] = { ...last, items };
}

/** Every length has a bound, so that no text makes this slow. */
const INLINE =
  /`([^`\n]{1,1000})`|\*\*(?=\S)([^*\n]{1,1000})\*\*|(?<![\w*])\*(?=\S)([^*\n]{1,1000})\*(?!\w)|(?<!\w)_(?=\S)([^_\n]{1,1000})_(?!\w)|!?\[([^\]\n]{0,500})\]\(([^()\s]{1,2000})\)/g;

/** An image in the text is linked, never loaded: loading it would tell its host who reads. */
export function inlinesOf(text: string): readonly Inline[] {
  const inlines: Inline[] = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    if (match.index > end) inlines.push({ kind: "text", text: text.slice(end, match.index) });
    inlines.push(inlineOf(match));
    end = match.index + match[0].length;
  }
  if (end < text.length) inlines.push({ kind: "text", text: text.slice(end) });
  return inlines;
}

function inlineOf([whole, code, strong, star, underscore, label, href]: RegExpExecArray): Inline {
  if (code !== undefined) return { kind: "code", text: code };
  if (strong !== undefined) return { kind: "strong", text: strong };
  const emphasis = star ?? underscore;
  if (emphasis !== undefined) return { kind: "emphasis", text: emphasis };
  if (href === undefined) return { kind: "text", text: whole };
  const name = label === undefined || label === "" ? href : label;
  return { kind: "link", text: whole.startsWith("!") ? `Picture: ${name}` : name, href };
}
