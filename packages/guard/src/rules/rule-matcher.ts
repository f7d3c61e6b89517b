import type { SafetyCategory } from "@trunkline/core/safety-policy.ts";

/** One plain sign of something unsafe. */
export interface Rule {
  /** For those who tune the rules; never shown to a client. */
  readonly name: string;
  readonly categories: readonly SafetyCategory[];
  /** How sure this sign alone makes us, 0 to 1. */
  readonly weight: number;
  /** Literal text of which at least one piece is in every match: a text without any of them never meets the pattern. */
  readonly anchors: readonly string[];
  /** Reads normalised text. Global; every gap in it is bounded, so that the work stays linear. */
  readonly pattern: RegExp;
  /** Whether a quotation of it counts less: whoever asks what an attack means is no attacker. */
  readonly quotable?: true;
  /**
   * What must lead up to the pattern and belongs to the match. Apart from the pattern where both are long:
   * one regular expression for the two takes many times as long to compile.
   */
  readonly leadIn?: RegExp;
  /** What must, and what must not, stand before a match for it to count. */
  readonly onlyAfter?: RegExp;
  readonly exceptAfter?: RegExp;
}

/** A place where a rule applies. */
export interface RuleMatch {
  readonly rule: Rule;
  /** Whether the place looks like a mention rather than a use. */
  readonly mention: boolean;
  /** The rule's weight, or less for a mention. */
  readonly weight: number;
  /** Offsets into the text that was searched, end exclusive. */
  readonly start: number;
  readonly end: number;
}

/** Rules that are looked for together. */
export interface RuleMatcher {
  find(text: string): RuleMatch[];
}

/** How far a match may stretch from its anchor, either way. */
const MATCH_REACH = 240;
const LOOK_BACK = 96;
const STARTS_WORD = /^\w/;

/** What a mention is worth of a use: reported, where the use would be refused. */
const MENTION_SHARE = 0.7;
/** A quotation that began a few words ago and has not ended. The quotes of a JSON value quote nobody. */
const OPENING_QUOTE = /(?:^|(?<=[\s([{=,:>]))(?<!["']\s?:\s?)["'`«「『](?!\s)[^"'`»」』\n]{0,80}$/;
const MENTION_BEFORE =
  /\b(?:such as|e\.g\.|for example|for instance|phrases?(?: like)?|words?(?: like)?|says?|saying|called|means?|attempts? to|trying to|tries to|try to|attacks? (?:like|that|to)|detects?|prevent\w{0,3}|(?:prompt injections?|jailbreaks?)\S{0,2})[\s:,-]{1,3}$/;
/** A question about it, or the advice against it. */
const DISCUSSED_BEFORE =
  /\b(?:does|did|can i|could i|should i|may i|do i|can we|should we|(?:ok|okay|safe|fine|wise) to|if i|if we|why|causes?|makes? (?:it|the)|don't|do not|never|must not|should not|shouldn't)\b[^.!?\n]{0,24}$/;

/** Makes the rules ready: one scan for all anchors decides which patterns run, and where. */
export function createRuleMatcher(rules: readonly Rule[]): RuleMatcher {
  const anchors = [...new Set(rules.flatMap((rule) => rule.anchors))].sort((a, b) => b.length - a.length);
  // The longest anchor at a place stands for every shorter one that begins it.
  const rulesByAnchor = new Map(
    anchors.map((anchor) => [anchor, rules.filter((rule) => rule.anchors.some((other) => anchor.startsWith(other)))]),
  );
  const words = anchors.filter((anchor) => STARTS_WORD.test(anchor)).map(escapeLiteral);
  const others = anchors.filter((anchor) => !STARTS_WORD.test(anchor)).map(escapeLiteral);
  // Looking ahead instead of consuming, so that one anchor never hides another that overlaps it.
  const scan = new RegExp(`\\b(?=(${words.join("|")}))${others.length > 0 ? `|(?=(${others.join("|")}))` : ""}`, "g");

  return {
    find(text) {
      const regions = new Map<Rule, Region[]>();
      for (const found of text.matchAll(scan)) {
        for (const rule of rulesByAnchor.get(found[1] ?? found[2] ?? "") ?? []) addRegion(regions, rule, found.index);
      }
      return [...regions].flatMap(([rule, places]) => places.flatMap((place) => applyRule(rule, text, place)));
    },
  };
}

interface Region {
  readonly start: number;
  end: number;
}

/** Neighbouring anchors share a region, so that no part of the text is read twice by one rule. */
function addRegion(regions: Map<Rule, Region[]>, rule: Rule, at: number): void {
  const places = regions.get(rule);
  const last = places?.at(-1);
  if (last !== undefined && at - MATCH_REACH <= last.end) last.end = at + MATCH_REACH;
  else if (places !== undefined) places.push({ start: at - MATCH_REACH, end: at + MATCH_REACH });
  else regions.set(rule, [{ start: at - MATCH_REACH, end: at + MATCH_REACH }]);
}

function applyRule(rule: Rule, text: string, region: Region): RuleMatch[] {
  const ruleMatches: RuleMatch[] = [];
  // Cut off after the region, but not before it: a pattern may look at what precedes it.
  const view = text.slice(0, region.end);
  rule.pattern.lastIndex = Math.max(0, region.start);
  for (let found = rule.pattern.exec(view); found !== null; found = rule.pattern.exec(view)) {
    const ruleMatch = matchAt(rule, text, found.index, found.index + found[0].length);
    if (ruleMatch !== undefined) ruleMatches.push(ruleMatch);
  }
  return ruleMatches;
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

/** Decided by what stands before alone: what comes after may not have been said yet. */
function isMention(before: string): boolean {
  return OPENING_QUOTE.test(before) || MENTION_BEFORE.test(before) || DISCUSSED_BEFORE.test(before);
}

function escapeLiteral(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/** A pattern over normalised text. A dot in it also reads line breaks: a wrapped sentence says the same. */
export function buildPattern(...pieces: readonly string[]): RegExp {
  return new RegExp(pieces.join(""), "gs");
}

/** One of several, each itself a pattern or several with bars between them. */
export function anyOf(...alternatives: readonly string[]): string {
  return `(?:${alternatives.join("|")})`;
}

/** Literal pieces of text, written as one list with commas. */
export function splitList(commaSeparated: string): readonly string[] {
  return commaSeparated.split(", ");
}

/** What stands directly before something. */
export function patternEndingIn(...pieces: readonly string[]): RegExp {
  return new RegExp(`${anyOf(...pieces)}$`, "s");
}
