import { BadPattern, type LinearPattern, readPattern, sizeWrittenOut } from "./linear-pattern.ts";
import { JSON_TYPES, KEYWORDS, type KeywordForm } from "./schema-keywords.ts";
import { NAME_MAX, tellOversize } from "./schema-size.ts";

export type SchemaNode = boolean | Readonly<Record<string, unknown>>;

/** A JSON schema whose every keyword has the form that it must have. A reference is the schema that it leads to. */
export interface ReadSchema {
  readonly root: SchemaNode;
  readonly patterns: ReadonlyMap<string, LinearPattern>;
}

/** What of a schema is wrong, in words for whoever sent it. */
export class BadSchema extends Error {
  override readonly name = "BadSchema";
}

/** Enough for any form that somebody thought of, and a bound for those who think of something else. */
const DEPTH_MAX = 64;
const PATTERNS_MAX = 32;
const PATTERNS_SIZE_MAX = 2_000;

/** A request's schema is read when it comes, and asked for again when there is an answer. */
const READ = new WeakMap<object, ReadSchema>();

/** Reads a schema, or throws what is wrong with it. */
export function readSchema(schema: unknown): ReadSchema {
  const known = isObject(schema) ? READ.get(schema) : undefined;
  if (known !== undefined) return known;
  const oversize = tellOversize(schema);
  if (oversize !== undefined) throw new BadSchema(oversize);
  const reader = new Reader();
  const root = reader.read(schema, "", 0);
  reader.resolve(root);
  const read = { root, patterns: reader.patterns };
  if (isObject(schema)) READ.set(schema, read);
  return read;
}

class Reader {
  readonly patterns = new Map<string, LinearPattern>();
  readonly #references: { readonly at: string; readonly node: Record<string, unknown> }[] = [];
  #patternsSize = 0;

  read(value: unknown, at: string, depth: number): SchemaNode {
    if (depth > DEPTH_MAX) throw new BadSchema(`is nested deeper than ${DEPTH_MAX} levels`);
    if (typeof value !== "boolean" && !isObject(value))
      throw new BadSchema(`must be a schema ${placeOf(at)}`);
    return typeof value === "boolean" ? value : this.#readKeywords(value, at, depth);
  }

  /** Every reference leads to a schema within: none is ever fetched. */
  resolve(root: SchemaNode): void {
    for (const { at, node } of this.#references) {
      const referred = followReference(root, node.$ref);
      if (referred !== undefined) node.$ref = referred;
      else throw new BadSchema(`may refer to its own parts alone, such as "#/$defs/name" ${placeOf(at)}`);
    }
  }

  #readKeywords(given: Readonly<Record<string, unknown>>, at: string, depth: number) {
    const node: Record<string, unknown> = Object.create(null);
    for (const [name, value] of Object.entries(given)) {
      const place = `${at}/${escapePointer(name)}`;
      if (name === "const") node.const = value;
      const form = KEYWORDS.get(name);
      if (form !== undefined) node[name] = this.#readForm(form, value, place, depth);
    }
    if (node.$ref !== undefined) this.#references.push({ at, node });
    return node;
  }

  #readForm(form: KeywordForm, value: unknown, at: string, depth: number): unknown {
    const wrong = (must: string) => new BadSchema(`${must} ${placeOf(at)}`);
    switch (form) {
      case "schema":
        return this.read(value, at, depth + 1);
      case "schemas":
        if (!Array.isArray(value) || value.length === 0) throw wrong("must be a list of schemas");
        return value.map((item, index) => this.read(item, `${at}/${index}`, depth + 1));
      case "schemas-by-pattern":
        for (const pattern of Object.keys(isObject(value) ? value : {})) this.#readPattern(pattern, at);
        return this.#readNamed(value, at, depth);
      case "schemas-by-name":
        return this.#readNamed(value, at, depth);
      case "pattern":
        if (typeof value !== "string") throw wrong("must be a string");
        return this.#readPattern(value, at);
      case "reference":
        if (typeof value !== "string") throw wrong("must be a string");
        return value;
      case "refused":
        throw wrong("is not supported");
      default:
        if (!isPlainForm(form, value)) throw wrong(`is no valid ${form.replaceAll("-", " ")}`);
        return value;
    }
  }

  #readNamed(value: unknown, at: string, depth: number): ReadonlyMap<string, SchemaNode> {
    if (!isObject(value)) throw new BadSchema(`must be an object of schemas ${placeOf(at)}`);
    return new Map(
      Object.entries(value).map(([name, item]) => [
        name,
        this.read(item, `${at}/${escapePointer(name)}`, depth + 1),
      ]),
    );
  }

  #readPattern(pattern: string, at: string): string {
    if (this.patterns.has(pattern)) return pattern;
    this.#patternsSize += sizeWrittenOut(pattern);
    if (this.patterns.size === PATTERNS_MAX || this.#patternsSize > PATTERNS_SIZE_MAX)
      throw new BadSchema("has too many patterns, or too large ones");
    try {
      this.patterns.set(pattern, readPattern(pattern));
    } catch (error) {
      if (error instanceof BadPattern)
        throw new BadSchema(`has a pattern that ${error.message} ${placeOf(at)}`);
      throw error;
    }
    return pattern;
  }
}

function isPlainForm(form: KeywordForm, value: unknown): boolean {
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
  return typeof value === "string" && value.length <= NAME_MAX;
}

function areTypes(types: readonly unknown[]): boolean {
  return (
    new Set(types).size === types.length && types.every((type) => JSON_TYPES.some((known) => known === type))
  );
}

/** The schema that a reference leads to, step by step from the root; undefined: none. */
function followReference(root: SchemaNode, reference: unknown): SchemaNode | undefined {
  const steps = stepsOf(reference);
  if (steps === undefined) return undefined;
  let node: unknown = root;
  for (let at = 0; at < steps.length; at++) {
    const keyword = steps[at] ?? "";
    const form = KEYWORDS.get(keyword);
    if (form === undefined || !isObject(node)) return undefined;
    node = node[keyword];
    if (form !== "schema") node = partOf(node, form, steps[++at]);
  }
  return typeof node === "boolean" || isObject(node) ? node : undefined;
}

function partOf(parts: unknown, form: KeywordForm, name: string | undefined): unknown {
  if (name === undefined) return undefined;
  if (parts instanceof Map) return parts.get(name);
  return form === "schemas" && Array.isArray(parts) && INDEX.test(name) ? parts[Number(name)] : undefined;
}

const INDEX = /^(?:0|[1-9]\d{0,5})$/;

/** The names on the way from the root; undefined: it is no JSON pointer into the schema. */
function stepsOf(reference: unknown): readonly string[] | undefined {
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

function placeOf(at: string): string {
  return `at "#${at.length > 200 ? `${at.slice(0, 200)}…` : at}"`;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
