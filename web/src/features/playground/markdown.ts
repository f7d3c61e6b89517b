import MarkdownIt, { type StateBlock, type StateInline, type Token } from "markdown-it";

/** A piece of Markdown with what is inside it. */
export interface MarkdownNode {
  /** As the parser names it, without `_open`: `paragraph`, `table`, `text`, `math_inline` … */
  readonly type: string;
  readonly token: Token;
  readonly children: readonly MarkdownNode[];
}

const DOLLAR = 0x24;
const BACKSLASH = 0x5c;

const parser = new MarkdownIt({
  // Markup of pages stays the text that it is.
  html: false,
  linkify: true,
  breaks: true,
});
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
parser.inline.ruler.before("escape", "math", readInlineMath);
parser.block.ruler.before("fence", "math", readBlockMath, { alt: ["paragraph", "blockquote", "list"] });

/** Reads Markdown: tables, nested lists, code, links and formulas. It never makes markup of the page. */
export function parseMarkdown(text: string): readonly MarkdownNode[] {
  return treeOf(parser.parse(text, {}));
}

interface OpenNode {
  readonly type: string;
  readonly token: Token;
  readonly children: MarkdownNode[];
}

/** The parser's flat list of tokens as a tree. */
function treeOf(tokens: readonly Token[]): readonly MarkdownNode[] {
  const roots: MarkdownNode[] = [];
  const open: OpenNode[] = [];
  for (const token of tokens) {
    const siblings = open.at(-1)?.children ?? roots;
    if (token.nesting === -1) {
      open.pop();
    } else if (token.nesting === 1) {
      const node = { type: token.type.replace(/_open$/, ""), token, children: [] };
      siblings.push(node);
      open.push(node);
    } else if (token.type === "inline") {
      siblings.push(...treeOf(token.children ?? []));
    } else if (token.type !== "text" || token.content !== "") {
      siblings.push({ type: token.type, token, children: treeOf(token.children ?? []) });
    }
  }
  return roots;
}

/** `$x$`, `$$x$$`, `\(x\)` and `\[x\]` within a line. Amounts of money such as "$5 and $10" are none. */
function readInlineMath(state: StateInline, isSilent: boolean): boolean {
  const { src, pos } = state;
  const found = src.charCodeAt(pos) === DOLLAR ? dollarMath(src, pos) : slashMath(src, pos);
  if (found === undefined) return false;
  if (!isSilent) {
    const token = state.push(found.isBlock ? "math_block" : "math_inline", "math", 0);
    token.content = found.tex;
    token.markup = src.slice(pos, found.end);
  }
  state.pos = found.end;
  return true;
}

interface FoundMath {
  readonly tex: string;
  readonly end: number;
  readonly isBlock: boolean;
}

function dollarMath(src: string, pos: number): FoundMath | undefined {
  const isBlock = src.charCodeAt(pos + 1) === DOLLAR;
  const mark = isBlock ? "$$" : "$";
  const start = pos + mark.length;
  if (!isBlock && /\s/.test(src.charAt(start))) return undefined;
  for (let end = src.indexOf(mark, start); end !== -1; end = src.indexOf(mark, end + 1)) {
    if (src.charCodeAt(end - 1) === BACKSLASH) continue;
    const tex = src.slice(start, end);
    if (tex.trim() === "" || (!isBlock && tex.includes("\n"))) return undefined;
    const after = src.charAt(end + mark.length);
    if (!isBlock && (/\s$/.test(tex) || /\d/.test(after))) return undefined;
    return { tex, end: end + mark.length, isBlock };
  }
  return undefined;
}

function slashMath(src: string, pos: number): FoundMath | undefined {
  if (src.charCodeAt(pos) !== BACKSLASH) return undefined;
  const opener = src.charAt(pos + 1);
  if (opener !== "(" && opener !== "[") return undefined;
  const end = src.indexOf(opener === "(" ? "\\)" : "\\]", pos + 2);
  if (end === -1 || src.slice(pos + 2, end).trim() === "") return undefined;
  return { tex: src.slice(pos + 2, end), end: end + 2, isBlock: opener === "[" };
}

/** A formula on lines of its own, between `$$` or between `\[` and `\]`. */
function readBlockMath(state: StateBlock, startLine: number, endLine: number, isSilent: boolean): boolean {
  const lineAt = (line: number) =>
    state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line] ?? 0).trim();
  const first = lineAt(startLine);
  const mark = first.slice(0, 2);
  if (mark !== "$$" && mark !== "\\[") return false;
  const closing = mark === "$$" ? "$$" : "\\]";
  const lines: string[] = [];
  for (let line = startLine; line < endLine; line++) {
    const text = line === startLine ? first.slice(2) : lineAt(line);
    if (!text.endsWith(closing)) {
      lines.push(text);
      continue;
    }
    lines.push(text.slice(0, -2));
    if (isSilent) return true;
    const token = state.push("math_block", "math", 0);
    token.block = true;
    token.content = lines.join("\n");
    token.markup = `${mark}${token.content}${closing}`;
    state.line = line + 1;
    return true;
  }
  return false;
}
