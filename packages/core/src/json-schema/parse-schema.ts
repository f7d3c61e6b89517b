import { isObject } from "../json-object.ts";
import { compilePattern, expandedSize, InvalidPattern, type LinearPattern } from "./linear-pattern.ts";

export type SchemaNode = boolean | Readonly<Record<string, unknown>>;

/** A JSON schema whose keywords were all checked. References are replaced by the schemas they point to. */
export interface ParsedSchema {
  readonly root: SchemaNode;
  readonly patterns: ReadonlyMap<string, LinearPattern>;
}

/** What is wrong with a schema, as a message for the client that sent it. */
export class InvalidSchema extends Error {
  override readonly name = "InvalidSchema";
}

/** Enough for any schema written by people, and a bound for hostile ones. */
const DEPTH_MAX = 64;
const PATTERNS_MAX = 32;
const PATTERNS_SIZE_MAX = 2_000;

/** A request's schema is parsed when the request is validated, and needed again when there is an answer. */
const parsedSchemas = new WeakMap<object, ParsedSchema>();

/** Parses a schema, or throws InvalidSchema. */
export function parseSchema(schema: unknown): ParsedSchema {
  const known = isObject(schema) ? parsedSchemas.get(schema) : undefined;
  if (known !== undefined) return known;
  const oversize = whyTooLarge(schema);
  if (oversize !== undefined) throw new InvalidSchema(oversize);
  const schemaParser = new SchemaParser();
  const root = schemaParser.parse(schema, "", 0);
  schemaParser.resolve(root);
  const read = { root, patterns: schemaParser.patterns };
  if (isObject(schema)) parsedSchemas.set(schema, read);
  return read;
}

class SchemaParser {
  readonly patterns = new Map<string, LinearPattern>();
  readonly #references: { readonly at: string; readonly node: Record<string, unknown> }[] = [];
  #patternsSize = 0;

  parse(value: unknown, at: string, depth: number): SchemaNode {
    if (depth > DEPTH_MAX) throw new InvalidSchema(`is nested deeper than ${DEPTH_MAX} levels`);
    if (typeof value !== "boolean" && !isObject(value))
      throw new InvalidSchema(`must be a schema ${describePointer(at)}`);
    return typeof value === "boolean" ? value : this.#parseKeywords(value, at, depth);
  }

  /** Every reference points to a schema within this one: none is ever fetched. */
  resolve(root: SchemaNode): void {
    for (const { at, node } of this.#references) {
      const referred = resolveReference(root, node.$ref);
      if (referred !== undefined) node.$ref = referred;
      else throw new InvalidSchema(`may refer to its own parts alone, such as "#/$defs/name" ${describePointer(at)}`);
    }
  }

  #parseKeywords(given: Readonly<Record<string, unknown>>, at: string, depth: number) {
    const node: Record<string, unknown> = Object.create(null);
    for (const [name, value] of Object.entries(given)) {
      const place = `${at}/${escapePointer(name)}`;
      if (name === "const") node.const = value;
      const form = KEYWORDS.get(name);
      if (form !== undefined) node[name] = this.#parseKeyword(form, value, place, depth);
    }
    if (node.$ref !== undefined) this.#references.push({ at, node });
    return node;
  }

  #parseKeyword(form: KeywordKind, value: unknown, at: string, depth: number): unknown {
    const wrong = (must: string) => new InvalidSchema(`${must} ${describePointer(at)}`);
    switch (form) {
      case "schema":
        return this.parse(value, at, depth + 1);
      case "schemas":
        if (!Array.isArray(value) || value.length === 0) throw wrong("must be a list of schemas");
        return value.map((item, index) => this.parse(item, `${at}/${index}`, depth + 1));
      case "schemas-by-pattern":
        for (const pattern of Object.keys(isObject(value) ? value : {})) this.#parsePattern(pattern, at);
        return this.#parseNamed(value, at, depth);
      case "schemas-by-name":
        return this.#parseNamed(value, at, depth);
      case "pattern":
        if (typeof value !== "string") throw wrong("must be a string");
        return this.#parsePattern(value, at);
      case "reference":
        if (typeof value !== "string") throw wrong("must be a string");
        return value;
      case "refused":
        throw wrong("is not supported");
      default:
        if (!isValidKeywordValue(form, value)) throw wrong(`is no valid ${form.replaceAll("-", " ")}`);
        return value;
    }
  }

  #parseNamed(value: unknown, at: string, depth: number): ReadonlyMap<string, SchemaNode> {
    if (!isObject(value)) throw new InvalidSchema(`must be an object of schemas ${describePointer(at)}`);
    return new Map(
      Object.entries(value).map(([name, item]) => [name, this.parse(item, `${at}/${escapePointer(name)}`, depth + 1)]),
    );
  }

  #parsePattern(pattern: string, at: string): string {
    if (this.patterns.has(pattern)) return pattern;
    this.#patternsSize += expandedSize(pattern);
    if (this.patterns.size === PATTERNS_MAX || this.#patternsSize > PATTERNS_SIZE_MAX)
      throw new InvalidSchema("has too many patterns, or too large ones");
    try {
      this.patterns.set(pattern, compilePattern(pattern));
    } catch (error) {
      if (error instanceof InvalidPattern)
        throw new InvalidSchema(`has a pattern that ${error.message} ${describePointer(at)}`);
      throw error;
    }
    return pattern;
  }
}

function isValidKeywordValue(form: KeywordKind, value: unknown): boolean {
  const areNames = (list: unknown) => Array.isArray(list) && list.every(isName);
  switch (form) {
    case "count":
      return Number.isSafeInteger(value) && Number(value) >= 0;
    case "number":
      return typeof value === "number";
    case "above-zero":
      return typeof value === "number" && value > 0;
    case "flag":
      return typeof value === "boolean";
    case "names":
      return areNames(value);
    case "names-by-name":
      return isObject(value) && Object.values(value).every(areNames);
    case "types":
      return areTypes(Array.isArray(value) ? value : [value]);
    case "values":
      return Array.isArray(value);
    default:
      return false;
  }
}

function isName(value: unknown): boolean {
  return typeof value === "string" && value.length <= NAME_LENGTH_MAX;
}

function areTypes(types: readonly unknown[]): boolean {
  return new Set(types).size === types.length && types.every((type) => JSON_TYPES.some((known) => known === type));
}

/** The schema that a reference points to; undefined: none. */
function resolveReference(root: SchemaNode, reference: unknown): SchemaNode | undefined {
  const steps = pointerSteps(reference);
  if (steps === undefined) return undefined;
  let node: unknown = root;
  for (let at = 0; at < steps.length; at++) {
    const keyword = steps[at] ?? "";
    const form = KEYWORDS.get(keyword);
    if (form === undefined || !isObject(node)) return undefined;
    node = node[keyword];
    if (form !== "schema") node = subschemaOf(node, form, steps[++at]);
  }
  return typeof node === "boolean" || isObject(node) ? node : undefined;
}

function subschemaOf(parts: unknown, form: KeywordKind, name: string | undefined): unknown {
  if (name === undefined) return undefined;
  if (parts instanceof Map) return parts.get(name);
  return form === "schemas" && Array.isArray(parts) && INDEX.test(name) ? parts[Number(name)] : undefined;
}

const INDEX = /^(?:0|[1-9]\d{0,5})$/;

/** The steps from the root; undefined: it is no JSON pointer into the schema. */
function pointerSteps(reference: unknown): readonly string[] | undefined {
  if (typeof reference !== "string" || !(reference === "#" || reference.startsWith("#/"))) return undefined;
  try {
    const steps = decodeURIComponent(reference.slice(1)).split("/").slice(1);
    if (steps.some((step) => /~(?![01])/.test(step))) return undefined;
    return steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  } catch {
    return undefined;
  }
}

function escapePointer(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

function describePointer(at: string): string {
  return `at "#${at.length > 200 ? `${at.slice(0, 200)}…` : at}"`;
}

/** The kind of value that a keyword of JSON Schema takes: tells how to parse it and where its subschemas are. */
type KeywordKind =
  | "schema"
  | "schemas"
  | "schemas-by-name"
  | "schemas-by-pattern"
  | "count"
  | "number"
  | "above-zero"
  | "flag"
  | "names"
  | "names-by-name"
  | "types"
  | "values"
  | "pattern"
  | "reference"
  | "refused";

/** The keywords that are supported, from draft 6 on. Others do not affect validity, or are refused. */
const KEYWORDS: ReadonlyMap<string, KeywordKind> = new Map<string, KeywordKind>([
  ["$ref", "reference"],
  ["$defs", "schemas-by-name"],
  ["definitions", "schemas-by-name"],
  ["type", "types"],
  ["enum", "values"],
  ["allOf", "schemas"],
  ["anyOf", "schemas"],
  ["oneOf", "schemas"],
  ["not", "schema"],
  ["if", "schema"],
  ["then", "schema"],
  ["else", "schema"],
  ["properties", "schemas-by-name"],
  ["patternProperties", "schemas-by-pattern"],
  ["additionalProperties", "schema"],
  ["propertyNames", "schema"],
  ["required", "names"],
  ["dependentRequired", "names-by-name"],
  ["dependentSchemas", "schemas-by-name"],
  ["minProperties", "count"],
  ["maxProperties", "count"],
  ["prefixItems", "schemas"],
  ["items", "schema"],
  ["contains", "schema"],
  ["minContains", "count"],
  ["maxContains", "count"],
  ["minItems", "count"],
  ["maxItems", "count"],
  ["uniqueItems", "flag"],
  ["minLength", "count"],
  ["maxLength", "count"],
  ["pattern", "pattern"],
  ["minimum", "number"],
  ["maximum", "number"],
  ["exclusiveMinimum", "number"],
  ["exclusiveMaximum", "number"],
  ["multipleOf", "above-zero"],
  // These affect validity in ways that are not implemented: refusing is better than a check that passes everything.
  ["unevaluatedProperties", "refused"],
  ["unevaluatedItems", "refused"],
  ["additionalItems", "refused"],
  ["dependencies", "refused"],
  ["$dynamicRef", "refused"],
  ["$recursiveRef", "refused"],
]);

const JSON_TYPES = ["null", "boolean", "object", "array", "number", "integer", "string"] as const;
export type JsonType = (typeof JSON_TYPES)[number];

/** As JSON. */
const SCHEMA_BYTES_MAX = 64 * 1024;
/** Longer names are slow to look up, and no real field is that long. */
const NAME_LENGTH_MAX = 1_000;
/** As JSON: a subschema is a level or two. */
const SCHEMA_LEVELS_MAX = 400;

/** Why a schema is too large, as part of a sentence; undefined: it is not. Stops reading at the limit. */
function whyTooLarge(schema: unknown): string | undefined {
  return new SizeMeter().add(schema, 0);
}

class SizeMeter {
  #left = SCHEMA_BYTES_MAX;

  add(value: unknown, level: number): string | undefined {
    if (level > SCHEMA_LEVELS_MAX) return `is nested deeper than ${SCHEMA_LEVELS_MAX} levels as JSON`;
    if (Array.isArray(value)) return this.#take(2 + Math.max(0, value.length - 1)) ?? this.#addList(value, level);
    if (typeof value === "object" && value !== null) return this.#take(1) ?? this.#addFields(value, level);
    return this.#take(bytesOf(value));
  }

  #addList(list: readonly unknown[], level: number): string | undefined {
    for (const item of list) {
      const oversize = this.add(item, level + 1);
      if (oversize !== undefined) return oversize;
    }
    return undefined;
  }

  #addFields(fields: object, level: number): string | undefined {
    for (const [name, value] of Object.entries(fields)) {
      if (name.length > NAME_LENGTH_MAX)
        return `has a name of more than ${NAME_LENGTH_MAX.toLocaleString("en")} characters`;
      const oversize = this.#take(bytesOf(name) + 2) ?? this.add(value, level + 1);
      if (oversize !== undefined) return oversize;
    }
    // Each field was counted with a trailing comma; the last one has the brace instead.
    return this.#take(Object.keys(fields).length === 0 ? 1 : 0);
  }

  #take(bytes: number): string | undefined {
    this.#left -= bytes;
    return this.#left < 0 ? `may have at most ${SCHEMA_BYTES_MAX.toLocaleString("en")} bytes as JSON` : undefined;
  }
}

function bytesOf(value: unknown): number {
  // As JSON, a string is at least as long as it is.
  if (typeof value === "string" && value.length > SCHEMA_BYTES_MAX) return value.length;
  return Buffer.byteLength(JSON.stringify(value) ?? "");
}
