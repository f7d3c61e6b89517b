import type { SafetyCategory } from "@trunkline/core/safety-policy.ts";
import { codesOf } from "../text-codes.ts";

/** A pattern that is evidence of something unsafe. */
export interface Rule {
  /** For tuning the rules; never shown to a client. */
  readonly name: string;
  readonly categories: readonly SafetyCategory[];
  /** The confidence from this rule alone, from 0 to 1. */
  readonly weight: number;
  /** Literals of which every match contains at least one. Without any of them in the text the pattern does not run. */
  readonly anchors: readonly string[];
  /** Matches normalised text. Global; every gap in it is bounded, so that the work stays linear. */
  readonly pattern: RegExp;
  /** Whether a quotation counts less: asking what an attack means is no attack. */
  readonly quotable?: true;
  /**
   * What must precede the pattern and belongs to the match. Separate from a long pattern, as one regular expression for
   * both takes many times as long to compile.
   */
  readonly leadIn?: RegExp;
  /** What must, and what must not, precede a match. */
  readonly onlyAfter?: RegExp;
  readonly exceptAfter?: RegExp;
}

/** A match of a rule. */
export interface RuleMatch {
  readonly rule: Rule;
  /** Whether the match looks like a mention rather than a use. */
  readonly mention: boolean;
  /** The weight of the rule, or less for a mention. */
  readonly weight: number;
  /** Offsets into the searched text, end exclusive. */
  readonly start: number;
  readonly end: number;
}

/** Rules that are matched together. */
export interface RuleMatcher {
  find(text: string): readonly RuleMatch[];
  /** Finds the same in an ASCII text with capitals as in its lower case, which is made only where a rule may match. */
  findInAnyCase(text: string): readonly RuleMatch[];
}

/** The maximum distance of a match from its anchor in both directions. */
const MATCH_REACH = 240;
const LOOK_BACK = 96;

/** The weight of a mention relative to a use: it is reported where the use would be refused. */
const MENTION_SHARE = 0.7;
/** A quotation that began a few words ago and has not ended. The quotes of a JSON value do not count. */
const OPENING_QUOTE = /(?:^|(?<=[\s([{=,:>]))(?<!["']\s?:\s?)["'`«「『](?!\s)[^"'`»」』\n]{0,80}$/;
const MENTION_BEFORE =
  /\b(?:such as|e\.g\.|for example|for instance|phrases?(?: like)?|words?(?: like)?|says?|saying|called|means?|attempts? to|trying to|tries to|try to|attacks? (?:like|that|to)|detects?|prevent\w{0,3}|(?:prompt injections?|jailbreaks?)\S{0,2})[\s:,-]{1,3}$/;
/** A question about it, or advice against it. */
const DISCUSSED_BEFORE =
  /\b(?:does|did|can i|could i|should i|may i|do i|can we|should we|(?:ok|okay|safe|fine|wise) to|if i|if we|why|causes?|makes? (?:it|the)|don't|do not|never|must not|should not|shouldn't)\b[^.!?\n]{0,24}$/;

/** Compiles the rules: one scan for all anchors decides which patterns run, and where. */
export function createRuleMatcher(rules: readonly Rule[]): RuleMatcher {
  const scanner = new AnchorScanner(rules);
  return {
    find(text) {
      const regions = scanner.findRegions(codesOf(text), text.length);
      return regions === undefined ? NO_MATCHES : matchesIn(regions, text);
    },
    findInAnyCase(text) {
      const regions = scanner.findRegions(codesOf(text), text.length);
      return regions === undefined ? NO_MATCHES : matchesIn(regions, text.toLowerCase());
    },
  };
}

const NO_MATCHES: readonly RuleMatch[] = [];

function matchesIn(regions: ReadonlyMap<Rule, readonly Region[]>, text: string): readonly RuleMatch[] {
  const ruleMatches: RuleMatch[] = [];
  for (const [rule, places] of regions) for (const place of places) applyRule(rule, text, place, ruleMatches);
  return ruleMatches;
}

/** The nodes at which words, and other anchors, begin. */
const WORD_ROOT = 1;
const OTHER_ROOT = 2;
const ASCII_SIZE = 128;
const [FIRST_LETTER, LAST_LETTER] = [97, 122];
/** How much smaller the code of a capital is. */
const CASE_DISTANCE = 32;
const BEGINNINGS = 1 << 15;
/** By ASCII character: whether it is a letter, a digit or an underscore. */
const IS_WORD = Uint8Array.from({ length: ASCII_SIZE }, (_, code) => (/\w/.test(String.fromCharCode(code)) ? 1 : 0));

/** Finds all anchors in either case in one pass: those that begin with a letter or digit at the start of a word, others anywhere. */
class AnchorScanner {
  /** By node and ASCII character: the next node; 0: none. */
  readonly #next: Uint16Array;
  /** The same for other characters. */
  readonly #nextByCharacter = new Map<number, number>();
  /**
   * The rules of the anchor that ends at a node. The longest anchor at an offset stands for every shorter one that begins
   * it.
   */
  readonly #rules: (readonly Rule[] | undefined)[] = [undefined, undefined, undefined];
  /** A bit for the first three characters of each word that is an anchor: most words of a text begin with others. */
  readonly #beginnings = new Uint8Array(BEGINNINGS / 8);

  constructor(rules: readonly Rule[]) {
    const placesByAnchor = new Map<string, number[]>();
    for (const [place, rule] of rules.entries())
      for (const anchor of rule.anchors) placesByAnchor.set(anchor, [...(placesByAnchor.get(anchor) ?? []), place]);
    let characters = 0;
    for (const anchor of placesByAnchor.keys()) characters += anchor.length;
    // As if no two anchors began alike.
    const followers = new Uint16Array((this.#rules.length + characters) * ASCII_SIZE);
    for (const anchor of placesByAnchor.keys()) {
      let node = IS_WORD[anchor.charCodeAt(0)] === 1 ? WORD_ROOT : OTHER_ROOT;
      this.#addBeginning(anchor);
      for (let at = 0; at < anchor.length; at += 1) {
        const code = anchor.charCodeAt(at);
        const isAscii = code < ASCII_SIZE;
        let next = (isAscii ? followers[node * ASCII_SIZE + code] : this.#nextByCharacter.get(keyOf(node, code))) ?? 0;
        if (next === 0) {
          next = this.#rules.push(undefined) - 1;
          if (isAscii) followers[node * ASCII_SIZE + code] = next;
          else this.#nextByCharacter.set(keyOf(node, code), next);
        }
        node = next;
      }
      const places = new Set<number>();
      for (let end = 1; end <= anchor.length; end += 1)
        for (const place of placesByAnchor.get(anchor.slice(0, end)) ?? []) places.add(place);
      this.#rules[node] = rules.filter((_, place) => places.has(place));
    }
    this.#next = followers.slice(0, this.#rules.length * ASCII_SIZE);
    // Capitals lead where their small letters do.
    for (let node = 0; node < this.#next.length; node += ASCII_SIZE)
      for (let letter = FIRST_LETTER; letter <= LAST_LETTER; letter += 1)
        this.#next[node + letter - CASE_DISTANCE] = this.#next[node + letter] ?? 0;
  }

  /** A short anchor begins with every third character. */
  #addBeginning(anchor: string): void {
    for (let second = 0; second < 32; second += 1) {
      if (anchor.length > 1 && second !== (anchor.charCodeAt(1) & 31)) continue;
      for (let third = 0; third < 32; third += 1) {
        if (anchor.length > 2 && third !== (anchor.charCodeAt(2) & 31)) continue;
        const beginning = beginningOf(anchor.charCodeAt(0), second, third);
        this.#beginnings[beginning >> 3] = (this.#beginnings[beginning >> 3] ?? 0) | (1 << (beginning & 7));
      }
    }
  }

  /** Where each rule may match; undefined: the text has no anchor. */
  findRegions(codes: Uint16Array, length: number): Map<Rule, Region[]> | undefined {
    const next = this.#next;
    const beginnings = this.#beginnings;
    const isWordCode = IS_WORD;
    let regions: Map<Rule, Region[]> | undefined;
    let wasWord = false;
    for (let at = 0; at < length; at += 1) {
      const code = codes[at] ?? 0;
      const isWord = code < ASCII_SIZE && isWordCode[code] === 1;
      const isInWord = isWord && wasWord;
      wasWord = isWord;
      if (isInWord) continue;
      if (isWord) {
        // What follows the text may let an anchor through that does not match then.
        const beginning = beginningOf(code, codes[at + 1] ?? 0, codes[at + 2] ?? 0);
        if ((((beginnings[beginning >> 3] ?? 0) >> (beginning & 7)) & 1) === 0) continue;
      } else if (
        code < ASCII_SIZE
          ? next[OTHER_ROOT * ASCII_SIZE + code] === 0
          : !this.#nextByCharacter.has(keyOf(OTHER_ROOT, code))
      )
        continue;
      const rules = this.#longestAt(codes, length, at, isWord ? WORD_ROOT : OTHER_ROOT);
      if (rules === undefined) continue;
      regions ??= new Map();
      for (const rule of rules) addRegion(regions, rule, at);
    }
    return regions;
  }

  #longestAt(codes: Uint16Array, length: number, start: number, root: number): readonly Rule[] | undefined {
    let node = root;
    let longest: readonly Rule[] | undefined;
    for (let at = start; at < length; at += 1) {
      const code = codes[at] ?? 0;
      node =
        (code < ASCII_SIZE ? this.#next[node * ASCII_SIZE + code] : this.#nextByCharacter.get(keyOf(node, code))) ?? 0;
      if (node === 0) break;
      longest = this.#rules[node] ?? longest;
    }
    return longest;
  }
}

/** Five bits of each character. */
function beginningOf(first: number, second: number, third: number): number {
  return ((first & 31) << 10) | ((second & 31) << 5) | (third & 31);
}

function keyOf(node: number, code: number): number {
  return node * 65_536 + code;
}

interface Region {
  readonly start: number;
  end: number;
}

/** Neighbouring anchors share a region, so that no rule reads a part of the text twice. */
function addRegion(regions: Map<Rule, Region[]>, rule: Rule, at: number): void {
  const places = regions.get(rule);
  const last = places?.at(-1);
  if (last !== undefined && at - MATCH_REACH <= last.end) last.end = at + MATCH_REACH;
  else if (places !== undefined) places.push({ start: at - MATCH_REACH, end: at + MATCH_REACH });
  else regions.set(rule, [{ start: at - MATCH_REACH, end: at + MATCH_REACH }]);
}

function applyRule(rule: Rule, text: string, region: Region, ruleMatches: RuleMatch[]): void {
  // Cut off after the region, but not before it: a pattern may look at what precedes it.
  const view = text.slice(0, region.end);
  rule.pattern.lastIndex = Math.max(0, region.start);
  for (let found = rule.pattern.exec(view); found !== null; found = rule.pattern.exec(view)) {
    const ruleMatch = matchAt(rule, text, found.index, found.index + found[0].length);
    if (ruleMatch !== undefined) ruleMatches.push(ruleMatch);
  }
}

function matchAt(rule: Rule, text: string, at: number, end: number): RuleMatch | undefined {
  const leadIn = rule.leadIn === undefined ? "" : rule.leadIn.exec(textBefore(text, at))?.[0];
  if (leadIn === undefined) return undefined;
  const start = at - leadIn.length;
  const before = textBefore(text, start);
  if (rule.exceptAfter?.test(before) || rule.onlyAfter?.test(before) === false) return undefined;
  const mention = rule.quotable === true && isMention(before);
  return { rule, mention, weight: mention ? rule.weight * MENTION_SHARE : rule.weight, start, end };
}

function textBefore(text: string, at: number): string {
  return text.slice(Math.max(0, at - LOOK_BACK), at);
}

/** Depends on the text before the match alone, as the text after it may not have arrived yet. */
function isMention(before: string): boolean {
  return OPENING_QUOTE.test(before) || MENTION_BEFORE.test(before) || DISCUSSED_BEFORE.test(before);
}

/** A pattern over normalised text. A dot also matches line breaks, as sentences may be wrapped. */
export function buildPattern(...pieces: readonly string[]): RegExp {
  return new RegExp(pieces.join(""), "gs");
}

/** Any of several patterns. */
export function anyOf(...alternatives: readonly string[]): string {
  return `(?:${alternatives.join("|")})`;
}

/** Splits a comma-separated list of literals. */
export function splitList(commaSeparated: string): readonly string[] {
  return commaSeparated.split(", ");
}

/** A pattern for what directly precedes something. */
export function patternEndingIn(...pieces: readonly string[]): RegExp {
  return new RegExp(`${anyOf(...pieces)}$`, "s");
}
