import type { Finding, Follower, News } from "../detector.ts";
import { SIGN } from "../stride-signs.ts";
import type { Tail } from "../tail.ts";
import type { AnswerContext } from "./answer-context.ts";
import { HINT } from "./certainty.ts";
import { CodePlaces } from "./code-places.ts";
import { judgeLink } from "./judge-link.ts";

/** What a link or a tag begins with. */
const BEGINNING =
  /(?:https?|ftp|wss?):[/\\]{2}|(?:java|vb)script:|data:text\/html|(?<=[("'=]\s?<?)\/\/(?=[a-z0-9[])|<(?:script|iframe|object|embed|base|link|meta|form|svg|img|video|audio|body|input|a|div|p)(?=[\s>/])/gi;
/** What a beginning holds, or what says whether one is in code. */
const OF_BEGINNINGS = SIGN.assignment | SIGN.slash | SIGN.angle;
const OF_LINKS = OF_BEGINNINGS | SIGN.bracket | SIGN.tick;
/** As much as a beginning can be long. */
const CARRY = 16;
const ENDS_A_LINK = /[\s"'<>`)\]|]/;
const URL_MAX = 4096;
/** A link that is longer is looked at again only every so many characters. */
const OFTEN = 192;
const SELDOM = 128;
/** What leads up to a link: the beginning of a tag, or the words of a link. */
const LEAD = 200;
const OF_A_PICTURE =
  /!\[[^\]]{0,160}\]\(\s{0,2}<?$|<(?:img|image|source|video|audio|iframe|embed|link|script|input|object|body|svg|use)\b[^>]{0,160}\b(?:src|srcset|href|data|poster|background)\s?=\s?["']?$|\burl\(\s?["']?$/i;
const OF_A_LINK =
  /\]\(\s{0,2}<?$|\b(?:href|src|action|formaction|data|content)\s?=\s?["']?(?:\d{1,3};\s?url=)?$/i;
const OF_A_REFERENCE = /(?:^|\n) {0,3}\[[^\]\n]{1,60}\]:\s{0,2}<?$/;
const PICTURE_BY_REFERENCE = /!\[[^\]]{0,160}\]\s?\[/;
/** Tags that load or run something, or send away what is typed. */
const HARMFUL_TAG =
  /^<(?:script|iframe|object|embed|base|link)\b|^<meta\b[^>]{0,60}\bhttp-equiv\b|^<form\b[^>]{0,120}\baction\b|^<[a-z]{1,10}\b[^>]{0,200}[\s/"']on[a-z]{3,20}\s?=/i;

interface Open {
  readonly start: number;
  text: string;
  readonly isTag: boolean;
  readonly loads: boolean;
  readonly isTarget: boolean;
  /** How long it was when it was last looked at. */
  seen: number;
}

/** Tells links that carry data away, run something or deceive, and tags that do. A long one is judged again as it grows. */
export class LinkWatch implements Follower {
  readonly #context: AnswerContext;
  readonly #code = new CodePlaces();
  #link: Open | undefined;
  /** A tag goes on around the links in it. */
  #tag: Open | undefined;
  #codeRead = 0;
  #lastStart = -1;
  #hasPictureByReference = false;
  judged = 0;

  constructor(context: AnswerContext) {
    this.#context = context;
  }

  read(tail: Tail, to: number, isLast: boolean): News | undefined {
    const since = this.judged;
    this.judged = to;
    if (this.#link === undefined && this.#tag === undefined && (tail.recentSigns & OF_LINKS) === 0) {
      if (this.#code.isSettled) this.#codeRead = to;
      else this.#readCode(tail, to);
      return undefined;
    }
    const findings: Finding[] = [];
    const news = tail.slice(since, to);
    if (this.#tag !== undefined && this.#endsWith(this.#tag, news, findings)) this.#tag = undefined;
    if (this.#link !== undefined && this.#endsWith(this.#link, news, findings)) this.#link = undefined;
    const from = Math.max(0, since - CARRY);
    const view = tail.slice(from, to);
    if (!this.#hasPictureByReference && news.includes("["))
      this.#hasPictureByReference = PICTURE_BY_REFERENCE.test(tail.slice(to - LEAD, to));
    if ((tail.recentSigns & OF_BEGINNINGS) !== 0) {
      BEGINNING.lastIndex = 0;
      for (let found = BEGINNING.exec(view); found !== null; found = BEGINNING.exec(view)) {
        // What must follow it may have come only now.
        const start = from + found.index;
        if (start + found[0].length >= since && start > this.#lastStart)
          this.#begin(tail, start, to, findings);
      }
    }
    this.#readCode(tail, to);
    if (this.#tag !== undefined) this.#look(this.#tag, isLast, findings);
    if (this.#link !== undefined) this.#look(this.#link, isLast, findings);
    return findings.length === 0 ? undefined : { findings, normalised: [] };
  }

  #begin(tail: Tail, start: number, to: number, findings: Finding[]): void {
    this.#lastStart = start;
    this.#readCode(tail, start);
    const text = tail.slice(start, to);
    const isTag = text.startsWith("<");
    // An address within another is part of it.
    if (this.#code.isCode() || (!isTag && this.#link !== undefined)) return;
    const lead = tail.slice(start - LEAD, start);
    const isReference = !isTag && OF_A_REFERENCE.test(lead);
    const loads = OF_A_PICTURE.test(lead) || (isReference && this.#hasPictureByReference);
    const isTarget = loads || isReference || OF_A_LINK.test(lead);
    const open: Open = { start, text: "", isTag, loads, isTarget, seen: 0 };
    const rest = this.#endsWith(open, text, findings) ? undefined : open;
    if (isTag) this.#tag = rest;
    else this.#link = rest;
  }

  /** Reads on, and looks at all of it where that is its end. */
  #endsWith(open: Open, text: string, findings: Finding[]): boolean {
    const end = open.isTag ? text.indexOf(">") : text.search(ENDS_A_LINK);
    open.text += end === -1 ? text : text.slice(0, end);
    if (end === -1 && open.text.length < URL_MAX) return false;
    this.#look(open, true, findings);
    return true;
  }

  #look(open: Open, isWhole: boolean, findings: Finding[]): void {
    const { start, text, isTag, loads, isTarget } = open;
    if (!isWhole && text.length > OFTEN && text.length - open.seen < SELDOM) return;
    open.seen = text.length;
    const signs = isTag
      ? this.#judgeTag(text)
      : judgeLink({ url: text, loads, isTarget }, isWhole, this.#context);
    for (const sign of signs) findings.push({ ...sign, start, end: start + text.length });
  }

  #judgeTag(text: string): Omit<Finding, "start" | "end">[] {
    if (!HARMFUL_TAG.test(text) || this.#context.wantsCode) return [];
    return [{ category: "injection", score: HINT }];
  }

  #readCode(tail: Tail, to: number): void {
    if (to <= this.#codeRead) return;
    this.#code.read(tail.slice(this.#codeRead, to));
    this.#codeRead = to;
  }
}
