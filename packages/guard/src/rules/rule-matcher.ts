import type { SafetyCategory } from "@trunkline/core/safety-policy.ts";

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
  find(text: string): RuleMatch[];
}

/** The maximum distance of a match from its anchor in both directions. */
const MATCH_REACH = 240;
const LOOK_BACK = 96;
const STARTS_WORD = /^\w/;

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
  const anchors = [...new Set(rules.flatMap((rule) => rule.anchors))].sort((a, b) => b.length - a.length);
  // The longest anchor at an offset stands for every shorter one that begins it.
  const rulesByAnchor = new Map(
    anchors.map((anchor) => [anchor, rules.filter((rule) => rule.anchors.some((other) => anchor.startsWith(other)))]),
  );
  const words = anchors.filter((anchor) => STARTS_WORD.test(anchor)).map(escapeLiteral);
  const others = anchors.filter((anchor) => !STARTS_WORD.test(anchor)).map(escapeLiteral);
  // Lookahead instead of consuming, so that an anchor never hides another that overlaps it.
  const scan = new RegExp(`\\b(?=(${words.join("|")}))${others.length > 0 ? `|(?=(${others.join("|")}))` : ""}`, "g");

  return {
    find(text) {
      const regions = new Map<Rule, Region[]>();
      scan.lastIndex = 0;
      for (let found = scan.exec(text); found !== null; found = scan.exec(text)) {
        for (const rule of rulesByAnchor.get(found[1] ?? found[2] ?? "") ?? []) addRegion(regions, rule, found.index);
        // Every match is empty.
        scan.lastIndex = found.index + 1;
      }
      if (regions.size === 0) return [];
      return [...regions].flatMap(([rule, places]) => places.flatMap((place) => applyRule(rule, text, place)));
    },
  };
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

/** Depends on the text before the match alone, as the text after it may not have arrived yet. */
function isMention(before: string): boolean {
  return OPENING_QUOTE.test(before) || MENTION_BEFORE.test(before) || DISCUSSED_BEFORE.test(before);
}

function escapeLiteral(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
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
