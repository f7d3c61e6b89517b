import type { Finding, StreamDetection, StreamDetector } from "../detector.ts";
import { CHARACTER_CLASS, type StreamBuffer } from "../stream-buffer.ts";
import { type AnswerContext, HINT } from "./answer-context.ts";
import { assessLink } from "./assess-link.ts";

/** The start of a link or a tag. */
const LINK_START =
  /(?:https?|ftp|wss?):[/\\]{2}|(?:java|vb)script:|data:text\/html|(?<=[("'=]\s?<?)\/\/(?=[a-z0-9[])|<(?:script|iframe|object|embed|base|link|meta|form|svg|img|video|audio|body|input|a|div|p)(?=[\s>/])/gi;
/** Every link start has one of these. */
const LINK_SIGNS = [":", "/", "<"] as const;
/** The character classes of a link start, and of the characters that delimit code. */
const LINK_START_CLASSES = CHARACTER_CLASS.assignment | CHARACTER_CLASS.slash | CHARACTER_CLASS.angleBracket;
const LINK_CLASSES = LINK_START_CLASSES | CHARACTER_CLASS.bracket | CHARACTER_CLASS.backtick;
/** The maximum length of a link start. */
const LINK_START_CHARACTERS_MAX = 16;
const LINK_END = /[\s"'<>`)\]|]/;
const URL_MAX = 4096;
/** A longer link is examined only at this interval. */
const LONG_LINK_CHARACTERS = 192;
const LONG_LINK_RECHECK_CHARACTERS = 128;
/** The characters before a link that are examined: the beginning of a tag, or the text of a link. */
const LEAD_CHARACTERS = 200;
const PICTURE_LEAD =
  /!\[[^\]]{0,160}\]\(\s{0,2}<?$|<(?:img|image|source|video|audio|iframe|embed|link|script|input|object|body|svg|use)\b[^>]{0,160}\b(?:src|srcset|href|data|poster|background)\s?=\s?["']?$|\burl\(\s?["']?$/i;
const LINK_LEAD = /\]\(\s{0,2}<?$|\b(?:href|src|action|formaction|data|content)\s?=\s?["']?(?:\d{1,3};\s?url=)?$/i;
const REFERENCE_LEAD = /(?:^|\n) {0,3}\[[^\]\n]{1,60}\]:\s{0,2}<?$/;
const PICTURE_BY_REFERENCE = /!\[[^\]]{0,160}\]\s?\[/;
/** Tags that load or run something, or submit what the user types. */
const HARMFUL_TAG =
  /^<(?:script|iframe|object|embed|base|link)\b|^<meta\b[^>]{0,60}\bhttp-equiv\b|^<form\b[^>]{0,120}\baction\b|^<[a-z]{1,10}\b[^>]{0,200}[\s/"']on[a-z]{3,20}\s?=/i;

/** Whether a link or a tag may begin in a complete answer. */
export function mayHoldLink(text: string): boolean {
  if (!LINK_SIGNS.some((sign) => text.includes(sign))) return false;
  LINK_START.lastIndex = 0;
  return LINK_START.test(text);
}

interface OpenLink {
  readonly start: number;
  text: string;
  readonly isTag: boolean;
  readonly isAutoLoaded: boolean;
  readonly isTarget: boolean;
  /** Its length when it was last examined. */
  seen: number;
}

/** Finds links and tags that carry data away, run code or deceive. A long link is examined again as it grows. */
export class LinkDetector implements StreamDetector {
  readonly #context: AnswerContext;
  readonly #code = new MarkdownCodeTracker();
  #link: OpenLink | undefined;
  /** A tag continues around the links in it. */
  #tag: OpenLink | undefined;
  #codeRead = 0;
  #lastStart = -1;
  #hasPictureByReference = false;
  decidedTo = 0;
  clearTo = 0;

  constructor(context: AnswerContext) {
    this.#context = context;
  }

  read(streamBuffer: StreamBuffer, to: number, isLast: boolean): StreamDetection | undefined {
    const since = this.decidedTo;
    this.decidedTo = to;
    if (
      this.#link === undefined &&
      this.#tag === undefined &&
      (streamBuffer.recentCharacterClasses & LINK_CLASSES) === 0
    ) {
      if (this.#code.isSettled) this.#codeRead = to;
      else this.#readCode(streamBuffer, to);
      this.clearTo = to;
      return undefined;
    }
    this.clearTo = 0;
    const findings: Finding[] = [];
    const newText = streamBuffer.slice(since, to);
    if (this.#tag !== undefined && this.#append(this.#tag, newText, findings)) this.#tag = undefined;
    if (this.#link !== undefined && this.#append(this.#link, newText, findings)) this.#link = undefined;
    const from = Math.max(0, since - LINK_START_CHARACTERS_MAX);
    const view = streamBuffer.slice(from, to);
    if (!this.#hasPictureByReference && newText.includes("["))
      this.#hasPictureByReference = PICTURE_BY_REFERENCE.test(streamBuffer.slice(to - LEAD_CHARACTERS, to));
    if ((streamBuffer.recentCharacterClasses & LINK_START_CLASSES) !== 0) {
      LINK_START.lastIndex = 0;
      for (let found = LINK_START.exec(view); found !== null; found = LINK_START.exec(view)) {
        // What must follow it may only have arrived now.
        const start = from + found.index;
        if (start + found[0].length >= since && start > this.#lastStart) this.#begin(streamBuffer, start, to, findings);
      }
    }
    this.#readCode(streamBuffer, to);
    if (this.#tag !== undefined) this.#check(this.#tag, isLast, findings);
    if (this.#link !== undefined) this.#check(this.#link, isLast, findings);
    return findings.length === 0 ? undefined : { findings, normalised: [] };
  }

  #begin(streamBuffer: StreamBuffer, start: number, to: number, findings: Finding[]): void {
    this.#lastStart = start;
    this.#readCode(streamBuffer, start);
    const text = streamBuffer.slice(start, to);
    const isTag = text.startsWith("<");
    // A URL within another is part of it.
    if (this.#code.isCode() || (!isTag && this.#link !== undefined)) return;
    const lead = streamBuffer.slice(start - LEAD_CHARACTERS, start);
    const isReference = !isTag && REFERENCE_LEAD.test(lead);
    const isAutoLoaded = PICTURE_LEAD.test(lead) || (isReference && this.#hasPictureByReference);
    const isTarget = isAutoLoaded || isReference || LINK_LEAD.test(lead);
    const openLink: OpenLink = { start, text: "", isTag, isAutoLoaded, isTarget, seen: 0 };
    const rest = this.#append(openLink, text, findings) ? undefined : openLink;
    if (isTag) this.#tag = rest;
    else this.#link = rest;
  }

  /** Appends text, and examines the link at its end. */
  #append(openLink: OpenLink, text: string, findings: Finding[]): boolean {
    const end = openLink.isTag ? text.indexOf(">") : text.search(LINK_END);
    openLink.text += end === -1 ? text : text.slice(0, end);
    if (end === -1 && openLink.text.length < URL_MAX) return false;
    this.#check(openLink, true, findings);
    return true;
  }

  #check(openLink: OpenLink, isWhole: boolean, findings: Finding[]): void {
    const { start, text, isTag, isAutoLoaded, isTarget } = openLink;
    if (!isWhole && text.length > LONG_LINK_CHARACTERS && text.length - openLink.seen < LONG_LINK_RECHECK_CHARACTERS)
      return;
    openLink.seen = text.length;
    const assessments = isTag
      ? this.#checkTag(text)
      : assessLink({ url: text, isAutoLoaded, isTarget }, isWhole, this.#context);
    for (const assessment of assessments) findings.push({ ...assessment, start, end: start + text.length });
  }

  #checkTag(text: string): Omit<Finding, "start" | "end">[] {
    if (!HARMFUL_TAG.test(text) || this.#context.expectsCode) return [];
    return [{ category: "injection", score: HINT }];
  }

  #readCode(streamBuffer: StreamBuffer, to: number): void {
    if (to <= this.#codeRead) return;
    this.#code.read(streamBuffer.slice(this.#codeRead, to));
    this.#codeRead = to;
  }
}

/** Tracks in growing Markdown whether the position is inside code, which no client loads or runs. */
class MarkdownCodeTracker {
  #ticks = 0;
  #isBlock = false;
  #isInline = false;
  #wasLineEnd = false;

  /** Whether the next character is in code. */
  isCode(): boolean {
    // Backticks right before this position are complete.
    if (this.#ticks > 0) this.#toggle();
    return this.#isBlock || this.#isInline;
  }

  /** Whether text without backticks changes nothing. */
  get isSettled(): boolean {
    return this.#ticks === 0 && !this.#isInline;
  }

  read(text: string): void {
    if (this.isSettled && !text.includes("`")) return;
    for (const character of text) {
      if (character === "`") {
        this.#ticks += 1;
        continue;
      }
      if (this.#ticks > 0) this.#toggle();
      // Unclosed inline code ends with its paragraph.
      if (character === "\n" && this.#wasLineEnd) this.#isInline = false;
      this.#wasLineEnd = character === "\n";
    }
  }

  #toggle(): void {
    if (this.#ticks >= 3) {
      this.#isBlock = !this.#isBlock;
      this.#isInline = false;
    } else if (!this.#isBlock && this.#ticks === 1) this.#isInline = !this.#isInline;
    this.#ticks = 0;
  }
}
