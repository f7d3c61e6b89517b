import { countCharacters } from "../count-characters.ts";
import { type Effort, TooMuchWork } from "./effort.ts";
import { placeWithin, tellName, tellPlace } from "./place.ts";
import { isObject, type ReadSchema, type SchemaNode } from "./read-schema.ts";
import { hasTwice, isSameJson } from "./same-json.ts";
import type { JsonType } from "./schema-keywords.ts";

const DEPTH_MAX = 400;
/** How much a visit to one value with one schema is. */
const VISIT = 3;
/** How much it is to say what an object lacks: some say it of thousands, only to try the next schema. */
const TELLING = 6;
/** How much one instruction of a pattern is at one character. */
export const PATTERN_STEP = 0.1;

/** What of a value does not meet a schema, in words: the first thing that is found; undefined: it does. */
export function judgeJson(schema: ReadSchema, value: unknown, effort: Effort): string | undefined {
  return new Judge(schema, effort).judge(schema.root, value, "", 0);
}

class Judge {
  readonly #schema: ReadSchema;
  readonly #effort: Effort;

  constructor(schema: ReadSchema, effort: Effort) {
    this.#schema = schema;
    this.#effort = effort;
  }

  judge(node: SchemaNode, value: unknown, at: string, depth: number): string | undefined {
    this.#effort.spend(VISIT);
    if (depth > DEPTH_MAX) throw new TooMuchWork();
    if (node === true) return undefined;
    if (node === false) return `${tellPlace(at)} must not be there`;
    return (
      this.#judgeAny(node, value, at) ??
      (typeof value === "string" ? this.#judgeString(node, value, at) : undefined) ??
      (typeof value === "number" ? judgeNumber(node, value, at) : undefined) ??
      (Array.isArray(value) ? this.#judgeList(node, value, at, depth) : undefined) ??
      (isObject(value) ? this.#judgeObject(node, value, at, depth) : undefined) ??
      this.#judgeCombined(node, value, at, depth)
    );
  }

  #passes(node: SchemaNode, value: unknown, at: string, depth: number): boolean {
    return this.judge(node, value, at, depth + 1) === undefined;
  }

  #judgeAny(node: Keywords, value: unknown, at: string): string | undefined {
    const { type, enum: listed } = node;
    if (type !== undefined) {
      const types: readonly JsonType[] = Array.isArray(type) ? type : [type];
      if (!types.some((one) => isOfType(value, one)))
        return `${tellPlace(at)} must be ${types.map((one) => WITH_ARTICLE[one]).join(" or ")}`;
    }
    if ("const" in node && !isSameJson(node.const, value, this.#effort))
      return `${tellPlace(at)} is not the one value asked for`;
    this.#effort.spend(sizeOf(listed));
    if (Array.isArray(listed) && !listed.some((one) => isSameJson(one, value, this.#effort)))
      return `${tellPlace(at)} is none of the values asked for`;
    return undefined;
  }

  #judgeString(node: Keywords, value: string, at: string): string | undefined {
    const { minLength, maxLength, pattern } = node;
    if (minLength !== undefined || maxLength !== undefined) {
      this.#effort.spend(value.length / 64);
      const length = countCharacters(value);
      if (isNumber(minLength) && length < minLength)
        return `${tellPlace(at)} must have at least ${minLength} characters`;
      if (isNumber(maxLength) && length > maxLength)
        return `${tellPlace(at)} must have at most ${maxLength} characters`;
    }
    if (typeof pattern === "string" && !this.#matches(pattern, value))
      return `${tellPlace(at)} does not match its pattern`;
    return undefined;
  }

  #judgeList(node: Keywords, value: readonly unknown[], at: string, depth: number): string | undefined {
    const { minItems, maxItems, uniqueItems, prefixItems, items, contains } = node;
    if (isNumber(minItems) && value.length < minItems)
      return `${tellPlace(at)} must have at least ${minItems} items`;
    if (isNumber(maxItems) && value.length > maxItems)
      return `${tellPlace(at)} must have at most ${maxItems} items`;
    this.#effort.spend(value.length / 8);
    if (uniqueItems === true && hasTwice(value, this.#effort)) return `${tellPlace(at)} has an item twice`;
    const first = Array.isArray(prefixItems) ? prefixItems : [];
    for (const [index, item] of value.entries()) {
      const schema = index < first.length ? first[index] : items;
      const wrong = isSchema(schema)
        ? this.judge(schema, item, placeWithin(at, index), depth + 1)
        : undefined;
      if (wrong !== undefined) return wrong;
    }
    if (!isSchema(contains)) return undefined;
    const found = value.filter((item, index) =>
      this.#passes(contains, item, placeWithin(at, index), depth),
    ).length;
    const { minContains = 1, maxContains = Infinity } = node;
    return found < Number(minContains) || found > Number(maxContains)
      ? `${tellPlace(at)} has ${found} of the items that it must contain`
      : undefined;
  }

  #judgeObject(
    node: Keywords,
    value: Readonly<Record<string, unknown>>,
    at: string,
    depth: number,
  ): string | undefined {
    const names = Object.keys(value);
    this.#effort.spend(names.length);
    const { required, minProperties, maxProperties, dependentRequired, propertyNames } = node;
    this.#effort.spend(sizeOf(required) + sizeOf(dependentRequired));
    const missing = isList(required)
      ? required.find((name) => !Object.hasOwn(value, String(name)))
      : undefined;
    if (missing !== undefined) return this.#tellLack(at, missing);
    if (isNumber(minProperties) && names.length < minProperties)
      return `${tellPlace(at)} must have at least ${minProperties} fields`;
    if (isNumber(maxProperties) && names.length > maxProperties)
      return `${tellPlace(at)} must have at most ${maxProperties} fields`;
    for (const [name, others] of Object.entries(isObject(dependentRequired) ? dependentRequired : {})) {
      const lacks =
        Object.hasOwn(value, name) && isList(others)
          ? others.find((other) => !Object.hasOwn(value, String(other)))
          : undefined;
      if (lacks !== undefined) return this.#tellLack(at, lacks);
    }
    this.#effort.spend(named(node.dependentSchemas).size / 4);
    for (const [name, schema] of named(node.dependentSchemas)) {
      const wrong = Object.hasOwn(value, name) ? this.judge(schema, value, at, depth + 1) : undefined;
      if (wrong !== undefined) return wrong;
    }
    for (const name of names) {
      const place = placeWithin(at, name);
      const wrong =
        (isSchema(propertyNames) ? this.judge(propertyNames, name, place, depth + 1) : undefined) ??
        this.#judgeField(node, name, value[name], place, depth);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }

  #tellLack(at: string, name: unknown): string {
    this.#effort.spend(TELLING);
    return `${tellPlace(at)} lacks ${tellName(name)}`;
  }

  #judgeField(node: Keywords, name: string, value: unknown, at: string, depth: number): string | undefined {
    const own = named(node.properties).get(name);
    const schemas = own === undefined ? [] : [own];
    for (const [pattern, schema] of named(node.patternProperties))
      if (this.#matches(pattern, name)) schemas.push(schema);
    if (schemas.length === 0 && isSchema(node.additionalProperties)) schemas.push(node.additionalProperties);
    for (const schema of schemas) {
      const wrong = this.judge(schema, value, at, depth + 1);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }

  #judgeCombined(node: Keywords, value: unknown, at: string, depth: number): string | undefined {
    const { $ref, allOf, anyOf, oneOf, not, if: condition, then: consequence, else: otherwise } = node;
    const referred = isSchema($ref) ? this.judge($ref, value, at, depth + 1) : undefined;
    if (referred !== undefined) return referred;
    for (const schema of isList(allOf) ? allOf : []) {
      const wrong = isSchema(schema) ? this.judge(schema, value, at, depth + 1) : undefined;
      if (wrong !== undefined) return wrong;
    }
    if (isList(anyOf) && !anyOf.some((one) => isSchema(one) && this.#passes(one, value, at, depth)))
      return `${tellPlace(at)} fits none of \`anyOf\``;
    if (isList(oneOf)) {
      const fitting = oneOf.filter((one) => isSchema(one) && this.#passes(one, value, at, depth)).length;
      if (fitting !== 1) return `${tellPlace(at)} fits ${fitting} of \`oneOf\``;
    }
    if (isSchema(not) && this.#passes(not, value, at, depth))
      return `${tellPlace(at)} is what it must not be`;
    if (!isSchema(condition)) return undefined;
    const next = this.#passes(condition, value, at, depth) ? consequence : otherwise;
    return isSchema(next) ? this.judge(next, value, at, depth + 1) : undefined;
  }

  #matches(pattern: string, text: string): boolean {
    const read = this.#schema.patterns.get(pattern);
    if (read === undefined) return true;
    this.#effort.spend(read.size * (text.length + 1) * PATTERN_STEP);
    return read.isIn(text);
  }
}

type Keywords = Readonly<Record<string, unknown>>;

function judgeNumber(
  { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: Keywords,
  value: number,
  at: string,
): string | undefined {
  if (isNumber(minimum) && value < minimum) return `${tellPlace(at)} must be at least ${minimum}`;
  if (isNumber(maximum) && value > maximum) return `${tellPlace(at)} must be at most ${maximum}`;
  if (isNumber(exclusiveMinimum) && value <= exclusiveMinimum)
    return `${tellPlace(at)} must be above ${exclusiveMinimum}`;
  if (isNumber(exclusiveMaximum) && value >= exclusiveMaximum)
    return `${tellPlace(at)} must be below ${exclusiveMaximum}`;
  if (isNumber(multipleOf) && !isMultiple(value, multipleOf))
    return `${tellPlace(at)} must be a multiple of ${multipleOf}`;
  return undefined;
}

/** Decimals are not exact: 0.3 is three times 0.1 all the same. */
function isMultiple(value: number, of: number): boolean {
  const times = value / of;
  return Math.abs(times - Math.round(times)) <= 1e-9 * Math.max(1, Math.abs(times));
}

const WITH_ARTICLE: Readonly<Record<JsonType, string>> = {
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
const NONE: ReadonlyMap<string, SchemaNode> = new Map();
const named = (value: unknown): ReadonlyMap<string, SchemaNode> => (value instanceof Map ? value : NONE);

/** How much it is to go through what a keyword lists. */
function sizeOf(listed: unknown): number {
  if (isList(listed)) return listed.length / 4;
  return isObject(listed)
    ? Object.values(listed).reduce<number>((sum, names) => sum + 4 + sizeOf(names), 0)
    : 0;
}
