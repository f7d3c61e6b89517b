import { Fault } from "@trunkline/core/fault.ts";

export const SCIM_OPERATORS = ["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"] as const;
export type ScimOperator = (typeof SCIM_OPERATORS)[number];

/** A filter of SCIM (RFC 7644, section 3.4.2.2). Attributes are in lower case. */
export type ScimFilter =
  | { readonly kind: "and"; readonly left: ScimFilter; readonly right: ScimFilter }
  | { readonly kind: "or"; readonly left: ScimFilter; readonly right: ScimFilter }
  | { readonly kind: "not"; readonly inner: ScimFilter }
  | { readonly kind: "present"; readonly attribute: string }
  | {
      readonly kind: "compare";
      readonly attribute: string;
      readonly operator: ScimOperator;
      readonly value: string | number | boolean | null;
    };

const FILTER_LENGTH_MAX = 2_000;
const DEPTH_MAX = 20;

/** A schema's name before an attribute, and the brackets of Entra ID's `emails[type eq "work"].value`, say nothing here. */
const TOKEN =
  /\s*(?:([()])|("(?:[^"\\]|\\.)*")|((?:urn:[\w.:-]+:)?[A-Za-z$][\w$-]*(?:\[[^\]]*\])?(?:\.[A-Za-z$][\w$-]*)?)|(-?\d+(?:\.\d+)?))/y;

/** Reads a filter. Throws a fault that names what is wrong. */
export function parseScimFilter(text: string): ScimFilter {
  if (text.length > FILTER_LENGTH_MAX) throw invalidFilter("it is too long");
  const tokens = tokensOf(text);
  let at = 0;
  const word = () => tokens[at]?.toLowerCase();

  function readOr(depth: number): ScimFilter {
    let left = readAnd(depth);
    while (word() === "or") {
      at += 1;
      left = { kind: "or", left, right: readAnd(depth) };
    }
    return left;
  }

  function readAnd(depth: number): ScimFilter {
    let left = readOne(depth);
    while (word() === "and") {
      at += 1;
      left = { kind: "and", left, right: readOne(depth) };
    }
    return left;
  }

  function readOne(depth: number): ScimFilter {
    if (depth > DEPTH_MAX) throw invalidFilter("it is nested too deeply");
    if (word() === "not") {
      at += 1;
      if (word() !== "(") throw invalidFilter("`not` needs parentheses");
      return { kind: "not", inner: readOne(depth + 1) };
    }
    if (word() === "(") {
      at += 1;
      const inner = readOr(depth + 1);
      if (word() !== ")") throw invalidFilter("a parenthesis is not closed");
      at += 1;
      return inner;
    }
    return readComparison();
  }

  function readComparison(): ScimFilter {
    const attribute = attributeOf(tokens[at]);
    const operator = tokens[at + 1]?.toLowerCase();
    if (operator === "pr") {
      at += 2;
      return { kind: "present", attribute };
    }
    const known = SCIM_OPERATORS.find((each) => each === operator);
    if (known === undefined) throw invalidFilter("an operator is missing or unknown");
    const value = comparedValueOf(tokens[at + 2]);
    at += 3;
    return { kind: "compare", attribute, operator: known, value };
  }

  const filter = readOr(0);
  if (at < tokens.length) throw invalidFilter("something follows its end");
  return filter;
}

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const start = TOKEN.lastIndex;
    const found = TOKEN.exec(text);
    if (found === null) throw invalidFilter(`it can't be read from character ${start + 1} on`);
    tokens.push(found[0].trim());
  }
  return tokens;
}

function attributeOf(token: string | undefined): string {
  if (token === undefined || !/^[A-Za-z$]/.test(token)) throw invalidFilter("an attribute is missing");
  return token
    .replace(/^urn:[\w.:-]+:(?=[A-Za-z$][\w$.[-]*$)/i, "")
    .replace(/\[[^\]]*\]/, "")
    .toLowerCase();
}

function comparedValueOf(token: string | undefined): string | number | boolean | null {
  const text = token?.toLowerCase();
  if (text === "true" || text === "false") return text === "true";
  if (text === "null") return null;
  if (token !== undefined && /^["\d-]/.test(token)) {
    try {
      const value: unknown = JSON.parse(token);
      if (typeof value === "string" && !value.includes("\0")) return value;
      if (typeof value === "number") return value;
    } catch {
      // Refused below.
    }
  }
  throw invalidFilter("a value is missing, or is no JSON text, number, true, false or null");
}

export function invalidFilter(why: string): Fault {
  return new Fault("invalid_request", `\`filter\` can't be used: ${why}.`, { param: "filter" });
}
