import { countCodePoints } from "../code-points.ts";
import { isObject } from "../json-object.ts";
import type { JsonType, ParsedSchema, SchemaNode } from "./parse-schema.ts";

const DEPTH_MAX = 400;
/** The work of validating one value against one schema node. */
const VISIT_COST = 3;
/**
 * The work of building a message about a missing field: a schema can cause thousands of them, only to try the next
 * alternative.
 */
const MESSAGE_COST = 6;
/** The work of one instruction of a pattern at one character. */
export const PATTERN_STEP_COST = 0.1;

/** The first way in which a value violates a schema, as part of a sentence; undefined: it is valid. */
export function validateJson(schema: ParsedSchema, value: unknown, workBudget: WorkBudget): string | undefined {
  return new Validator(schema, workBudget).validate(schema.root, value, "", 0);
}

class Validator {
  readonly #schema: ParsedSchema;
  readonly #budget: WorkBudget;

  constructor(schema: ParsedSchema, workBudget: WorkBudget) {
    this.#schema = schema;
    this.#budget = workBudget;
  }

  validate(node: SchemaNode, value: unknown, at: string, depth: number): string | undefined {
    this.#budget.spend(VISIT_COST);
    if (depth > DEPTH_MAX) throw new WorkBudgetExceeded();
    if (node === true) return undefined;
    if (node === false) return `${describePath(at)} must not be there`;
    return (
      this.#validateAny(node, value, at) ??
      (typeof value === "string" ? this.#validateString(node, value, at) : undefined) ??
      (typeof value === "number" ? validateNumber(node, value, at) : undefined) ??
      (Array.isArray(value) ? this.#validateList(node, value, at, depth) : undefined) ??
      (isObject(value) ? this.#validateObject(node, value, at, depth) : undefined) ??
      this.#validateCombined(node, value, at, depth)
    );
  }

  #passes(node: SchemaNode, value: unknown, at: string, depth: number): boolean {
    return this.validate(node, value, at, depth + 1) === undefined;
  }

  #validateAny(node: Keywords, value: unknown, at: string): string | undefined {
    const { type, enum: listed } = node;
    if (type !== undefined) {
      const types: readonly JsonType[] = Array.isArray(type) ? type : [type];
      if (!types.some((one) => isOfType(value, one)))
        return `${describePath(at)} must be ${types.map((one) => TYPE_DESCRIPTIONS[one]).join(" or ")}`;
    }
    if ("const" in node && !jsonEquals(node.const, value, this.#budget))
      return `${describePath(at)} is not the one value asked for`;
    this.#budget.spend(listingCost(listed));
    if (Array.isArray(listed) && !listed.some((one) => jsonEquals(one, value, this.#budget)))
      return `${describePath(at)} is none of the values asked for`;
    return undefined;
  }

  #validateString(node: Keywords, value: string, at: string): string | undefined {
    const { minLength, maxLength, pattern } = node;
    if (minLength !== undefined || maxLength !== undefined) {
      this.#budget.spend(value.length / 64);
      const length = countCodePoints(value);
      if (isNumber(minLength) && length < minLength)
        return `${describePath(at)} must have at least ${minLength} characters`;
      if (isNumber(maxLength) && length > maxLength)
        return `${describePath(at)} must have at most ${maxLength} characters`;
    }
    if (typeof pattern === "string" && !this.#matches(pattern, value))
      return `${describePath(at)} does not match its pattern`;
    return undefined;
  }

  #validateList(node: Keywords, value: readonly unknown[], at: string, depth: number): string | undefined {
    const { minItems, maxItems, uniqueItems, prefixItems, items, contains } = node;
    if (isNumber(minItems) && value.length < minItems)
      return `${describePath(at)} must have at least ${minItems} items`;
    if (isNumber(maxItems) && value.length > maxItems) return `${describePath(at)} must have at most ${maxItems} items`;
    this.#budget.spend(value.length / 8);
    if (uniqueItems === true && hasDuplicates(value, this.#budget)) return `${describePath(at)} has an item twice`;
    const first = Array.isArray(prefixItems) ? prefixItems : [];
    for (const [index, item] of value.entries()) {
      const schema = index < first.length ? first[index] : items;
      const wrong = isSchema(schema) ? this.validate(schema, item, childPath(at, index), depth + 1) : undefined;
      if (wrong !== undefined) return wrong;
    }
    if (!isSchema(contains)) return undefined;
    const found = value.filter((item, index) => this.#passes(contains, item, childPath(at, index), depth)).length;
    const { minContains = 1, maxContains = Infinity } = node;
    return found < Number(minContains) || found > Number(maxContains)
      ? `${describePath(at)} has ${found} of the items that it must contain`
      : undefined;
  }

  #validateObject(
    node: Keywords,
    value: Readonly<Record<string, unknown>>,
    at: string,
    depth: number,
  ): string | undefined {
    const names = Object.keys(value);
    this.#budget.spend(names.length);
    const { required, minProperties, maxProperties, dependentRequired, propertyNames } = node;
    this.#budget.spend(listingCost(required) + listingCost(dependentRequired));
    const missing = isList(required) ? required.find((name) => !Object.hasOwn(value, String(name))) : undefined;
    if (missing !== undefined) return this.#describeMissing(at, missing);
    if (isNumber(minProperties) && names.length < minProperties)
      return `${describePath(at)} must have at least ${minProperties} fields`;
    if (isNumber(maxProperties) && names.length > maxProperties)
      return `${describePath(at)} must have at most ${maxProperties} fields`;
    for (const [name, others] of Object.entries(isObject(dependentRequired) ? dependentRequired : {})) {
      const lacks =
        Object.hasOwn(value, name) && isList(others)
          ? others.find((other) => !Object.hasOwn(value, String(other)))
          : undefined;
      if (lacks !== undefined) return this.#describeMissing(at, lacks);
    }
    this.#budget.spend(schemaMap(node.dependentSchemas).size / 4);
    for (const [name, schema] of schemaMap(node.dependentSchemas)) {
      const wrong = Object.hasOwn(value, name) ? this.validate(schema, value, at, depth + 1) : undefined;
      if (wrong !== undefined) return wrong;
    }
    for (const name of names) {
      const place = childPath(at, name);
      const wrong =
        (isSchema(propertyNames) ? this.validate(propertyNames, name, place, depth + 1) : undefined) ??
        this.#validateField(node, name, value[name], place, depth);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }

  #describeMissing(at: string, name: unknown): string {
    this.#budget.spend(MESSAGE_COST);
    return `${describePath(at)} lacks ${describeName(name)}`;
  }

  #validateField(node: Keywords, name: string, value: unknown, at: string, depth: number): string | undefined {
    const own = schemaMap(node.properties).get(name);
    const schemas = own === undefined ? [] : [own];
    for (const [pattern, schema] of schemaMap(node.patternProperties))
      if (this.#matches(pattern, name)) schemas.push(schema);
    if (schemas.length === 0 && isSchema(node.additionalProperties)) schemas.push(node.additionalProperties);
    for (const schema of schemas) {
      const wrong = this.validate(schema, value, at, depth + 1);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }

  #validateCombined(node: Keywords, value: unknown, at: string, depth: number): string | undefined {
    const { $ref, allOf, anyOf, oneOf, not, if: condition, then: consequence, else: otherwise } = node;
    const referred = isSchema($ref) ? this.validate($ref, value, at, depth + 1) : undefined;
    if (referred !== undefined) return referred;
    for (const schema of isList(allOf) ? allOf : []) {
      const wrong = isSchema(schema) ? this.validate(schema, value, at, depth + 1) : undefined;
      if (wrong !== undefined) return wrong;
    }
    if (isList(anyOf) && !anyOf.some((one) => isSchema(one) && this.#passes(one, value, at, depth)))
      return `${describePath(at)} fits none of \`anyOf\``;
    if (isList(oneOf)) {
      const fitting = oneOf.filter((one) => isSchema(one) && this.#passes(one, value, at, depth)).length;
      if (fitting !== 1) return `${describePath(at)} fits ${fitting} of \`oneOf\``;
    }
    if (isSchema(not) && this.#passes(not, value, at, depth)) return `${describePath(at)} is what it must not be`;
    if (!isSchema(condition)) return undefined;
    const next = this.#passes(condition, value, at, depth) ? consequence : otherwise;
    return isSchema(next) ? this.validate(next, value, at, depth + 1) : undefined;
  }

  #matches(pattern: string, text: string): boolean {
    const read = this.#schema.patterns.get(pattern);
    if (read === undefined) return true;
    this.#budget.spend(read.size * (text.length + 1) * PATTERN_STEP_COST);
    return read.matches(text);
  }
}

type Keywords = Readonly<Record<string, unknown>>;

function validateNumber(
  { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: Keywords,
  value: number,
  at: string,
): string | undefined {
  if (isNumber(minimum) && value < minimum) return `${describePath(at)} must be at least ${minimum}`;
  if (isNumber(maximum) && value > maximum) return `${describePath(at)} must be at most ${maximum}`;
  if (isNumber(exclusiveMinimum) && value <= exclusiveMinimum)
    return `${describePath(at)} must be above ${exclusiveMinimum}`;
  if (isNumber(exclusiveMaximum) && value >= exclusiveMaximum)
    return `${describePath(at)} must be below ${exclusiveMaximum}`;
  if (isNumber(multipleOf) && !isMultiple(value, multipleOf))
    return `${describePath(at)} must be a multiple of ${multipleOf}`;
  return undefined;
}

/** Decimals are not exact: 0.3 counts as a multiple of 0.1 all the same. */
function isMultiple(value: number, of: number): boolean {
  const times = value / of;
  return Math.abs(times - Math.round(times)) <= 1e-9 * Math.max(1, Math.abs(times));
}

const TYPE_DESCRIPTIONS: Readonly<Record<JsonType, string>> = {
  null: "null",
  boolean: "true or false",
  object: "an object",
  array: "a list",
  number: "a number",
  integer: "a whole number",
  string: "a string",
};

function isOfType(value: unknown, type: JsonType): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "object":
      return isObject(value);
    case "array":
      return Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

const isNumber = (value: unknown): value is number => typeof value === "number";
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const isSchema = (value: unknown): value is SchemaNode => typeof value === "boolean" || isObject(value);
const NO_SCHEMAS: ReadonlyMap<string, SchemaNode> = new Map();
const schemaMap = (value: unknown): ReadonlyMap<string, SchemaNode> => (value instanceof Map ? value : NO_SCHEMAS);

/** The work of going through what a keyword lists. */
function listingCost(listed: unknown): number {
  if (isList(listed)) return listed.length / 4;
  return isObject(listed) ? Object.values(listed).reduce<number>((sum, names) => sum + 4 + listingCost(names), 0) : 0;
}

/**
 * Limits the work of one check. Schemas and answers both come from outside, and together can demand any amount of work:
 * it is counted, and stopped at the limit. One unit is about a third of a microsecond.
 */
export class WorkBudget {
  #left: number;

  constructor(most: number) {
    this.#left = most;
  }

  spend(amount: number): void {
    this.#left -= amount;
    if (this.#left < 0) throw new WorkBudgetExceeded();
  }
}

export class WorkBudgetExceeded extends Error {
  override readonly name = "TooMuchWork";
}

/** The limit for checking one answer: at worst about 50 ms. */
export const ANSWER_WORK_BUDGET = 150_000;

const EQUALITY_DEPTH_MAX = 400;

/** Whether two values are equal, ignoring the order of fields. Stops at the first difference. */
function jsonEquals(one: unknown, other: unknown, workBudget: WorkBudget, depth = 0): boolean {
  if (typeof one === "string" && typeof other === "string" && one.length === other.length)
    workBudget.spend(one.length / 1_000);
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return one === other;
  workBudget.spend(1);
  if (depth > EQUALITY_DEPTH_MAX) throw new WorkBudgetExceeded();
  if (Array.isArray(one) || Array.isArray(other))
    return (
      Array.isArray(one) &&
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item, index) => jsonEquals(item, other[index], workBudget, depth + 1))
    );
  if (!isObject(one) || !isObject(other)) return false;
  const names = Object.keys(one);
  const others = Object.keys(other);
  workBudget.spend(names.length + others.length);
  return (
    names.length === others.length &&
    names.every((name) => Object.hasOwn(other, name) && jsonEquals(one[name], other[name], workBudget, depth + 1))
  );
}

/** Whether a list contains a value twice: found by a canonical text of each value. */
function hasDuplicates(list: readonly unknown[], workBudget: WorkBudget): boolean {
  const seen = new Set<string>();
  return list.some((item) => seen.size === seen.add(canonicalText(item, workBudget, 0)).size);
}

function canonicalText(value: unknown, workBudget: WorkBudget, depth: number): string {
  workBudget.spend(2);
  if (depth > EQUALITY_DEPTH_MAX) throw new WorkBudgetExceeded();
  if (Array.isArray(value)) return `[${value.map((item) => canonicalText(item, workBudget, depth + 1)).join(",")}]`;
  if (!isObject(value)) return quote(value, workBudget);
  const names = Object.keys(value);
  workBudget.spend(names.length * 2);
  names.sort();
  return `{${names.map((name) => `${quote(name, workBudget)}:${canonicalText(value[name], workBudget, depth + 1)}`).join(",")}}`;
}

function quote(value: unknown, workBudget: WorkBudget): string {
  if (typeof value === "string") workBudget.spend(value.length / 8);
  return JSON.stringify(value);
}

const SHOWN_MAX = 120;

/**
 * The path of a nested value. It is shortened from the start: a path is built for every visited value, and clients
 * choose how long names are.
 */
function childPath(at: string, name: string | number): string {
  if (at.length > SHOWN_MAX) return at;
  return `${at}/${typeof name === "string" ? name.slice(0, SHOWN_MAX + 1) : name}`;
}

/** A path as part of a sentence. */
function describePath(at: string): string {
  return at === "" ? "it" : `"${shorten(at)}"`;
}

/** A name as part of a sentence. */
function describeName(name: unknown): string {
  return JSON.stringify(shorten(String(name)));
}

function shorten(text: string): string {
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
}
