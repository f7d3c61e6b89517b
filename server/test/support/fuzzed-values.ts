import { pickRandom, type Random } from "@trunkline/core/random.ts";

/** As much of a JSON schema as the OpenAPI document uses for what it is sent. */
export interface JsonSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly additionalProperties?: JsonSchema | boolean;
}

/** What a schema can't say: names that exist, addresses that may be dialled. */
export interface KnownValues {
  readonly models: readonly string[];
  readonly endpoints: readonly string[];
  readonly ids: readonly string[];
  /** Never to be seen in an answer. */
  readonly credential: string;
}

const WORDS = ["Hello", "chat", "text", "a name", "auto", "Good morning, how are you?", "png", "v1", "2026-11", "en"];
const FITTING = [
  "abc",
  "a-name",
  "AB",
  "1.5",
  "someone@example.test",
  "batch",
  "2026-11-01T00:00:00Z",
  "data:,x",
  "a/b",
];
const TIMES = ["2026-11-01T00:00:00Z", "2027-01-31", "2026-11-16T12:00:00.5+02:00", "1999-12-31T23:59:59Z"];

/** A value that looks as the schema wants it, mostly. */
export function fittingValue(random: Random, schema: JsonSchema, known: KnownValues, name = "", depth = 0): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return anyOf(random, schema.enum);
  if (schema.anyOf !== undefined) return fittingValue(random, anyOf(random, schema.anyOf), known, name, depth);
  switch (schema.type) {
    case "object":
      return fittingObject(random, schema, known, depth);
    case "array": {
      const length = Math.max(schema.minItems ?? 0, Math.min(schema.maxItems ?? 3, Math.floor(random() * 3)));
      return Array.from({ length }, () => fittingValue(random, schema.items ?? {}, known, name, depth + 1));
    }
    case "integer":
    case "number":
      return fittingNumber(random, schema);
    case "boolean":
      return random() < 0.5;
    case "null":
      return null;
    case "string":
      return fittingText(random, schema, known, name);
    default:
      return anyOf<unknown>(random, ["Hello", 1, {}, [], null]);
  }
}

function fittingObject(random: Random, schema: JsonSchema, known: KnownValues, depth: number): unknown {
  const value: Record<string, unknown> = {};
  const chance = depth > 3 ? 0.1 : 0.35;
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    if (schema.required?.includes(name) || random() < chance)
      value[name] = fittingValue(random, property, known, name, depth + 1);
  if (typeof schema.additionalProperties === "object" && random() < 0.5)
    value[anyOf(random, WORDS)] = fittingValue(random, schema.additionalProperties, known, "", depth + 1);
  return value;
}

function fittingNumber(random: Random, { type, minimum = 0, maximum = 1_000 }: JsonSchema): number {
  const edge = random();
  if (edge < 0.1) return minimum;
  if (edge < 0.2) return maximum;
  const value = minimum + random() * Math.min(maximum - minimum, 50);
  return type === "integer" ? Math.floor(value) : Math.round(value * 1_000) / 1_000;
}

function fittingText(random: Random, { pattern, minLength = 0 }: JsonSchema, known: KnownValues, name: string): string {
  if (/^(model|backups|judge|upstream_model)$/.test(name)) return anyOf(random, known.models);
  if (/^(endpoint|url)$/.test(name)) return anyOf(random, known.endpoints);
  if (/^(id|.*_id|account|key)$/.test(name)) return anyOf(random, known.ids);
  if (name === "credential") return known.credential;
  if (/^(from|to|since|until|.*_at|.*date)$/.test(name)) return anyOf(random, TIMES);
  if (/email/.test(name)) return `person-${Math.floor(random() * 40)}@example.test`;
  if (/password/.test(name)) return "a password that is long enough";
  const fitting = pattern === undefined ? WORDS : FITTING.filter((text) => new RegExp(pattern, "u").test(text));
  const text = fitting.length === 0 ? "abc" : anyOf(random, fitting);
  return text.padEnd(Math.min(minLength, 100), "x");
}

/** Values that no field wants. */
const ODD_VALUES: readonly [unknown, ...unknown[]] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  -1e308,
  5e-324,
  1e-9,
  2 ** 53,
  2 ** 31,
  -(2 ** 31) - 1,
  1e21,
  0.1 + 0.2,
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "\udc00\ud800",
  "\u001b[31m\u0007",
  "a\r\nset-cookie: x=y",
  "\u202eabc\u2066",
  "e\u0301\u0301\u0301",
  "👩‍👩‍👧‍👦",
  "ﷺ".repeat(40),
  "x".repeat(256),
  "x".repeat(2_001),
  "é".repeat(20_000),
  "__proto__",
  "constructor",
  "toString",
  "../../../etc/passwd",
  "%00",
  "%s%d%n",
  "'\"; --",
  "\\",
  "$1",
  "*",
  "NaN",
  "Infinity",
  "-0",
  "1e400",
  "0x10",
  "true",
  "null",
  "[object Object]",
  "2026-02-30",
  "9999-12-31T23:59:59.999Z",
  "0000-01-01T00:00:00Z",
  "+275760-09-13T00:00:00Z",
  "-271821-04-20T00:00:00Z",
  "294277-01-01",
  "infinity",
  "now",
  "http://[::1",
  "http://user:pass@127.0.0.1:1/",
  "javascript:alert(1)",
  "data:text/plain;base64,????",
  "file:///dev/null",
  "a@b",
  [],
  {},
  [[]],
  [null],
  { "": "" },
  { toString: 1, valueOf: null },
  { length: 1e9 },
];

export const oddValue = (random: Random): unknown => pickRandom(random, ODD_VALUES);

/** One of several values; a list that may be empty gives undefined. */
export function anyOf<T>(random: Random, choices: readonly T[]): T {
  return choices[Math.floor(random() * choices.length)] as T;
}

/** Changes one place of a value: another value, a field less, a field more, a long list, or deep nesting. */
export function changedValue(random: Random, value: unknown): unknown {
  if (random() < 0.04) return oddValue(random);
  const copy: unknown = structuredClone(value);
  const places: { readonly holder: Record<string, unknown>; readonly name: string }[] = [];
  const collect = (holder: unknown): void => {
    if (typeof holder !== "object" || holder === null) return;
    for (const name of Object.keys(holder)) {
      places.push({ holder: holder as Record<string, unknown>, name });
      collect((holder as Record<string, unknown>)[name]);
    }
  };
  collect(copy);
  const place = anyOf(random, places);
  if (place === undefined || random() < 0.1) {
    if (typeof copy !== "object" || copy === null) return oddValue(random);
    const extra = anyOf(random, ["extra", "__proto__", "constructor", "model", "id", "account_id", "stream", ""]);
    Object.defineProperty(copy, extra, { value: oddValue(random), enumerable: true, configurable: true });
    return copy;
  }
  const { holder, name } = place;
  const way = random();
  if (way < 0.5) holder[name] = oddValue(random);
  else if (way < 0.65) delete holder[name];
  else if (way < 0.75) holder[name] = [holder[name]];
  else if (way < 0.82) holder[name] = { value: holder[name] };
  else if (way < 0.87) holder[name] = asText(holder[name]);
  else if (way < 0.92) holder[name] = Array.from({ length: 1 + Math.floor(random() * 3_000) }, () => holder[name]);
  else if (way < 0.96) holder[name] = nested(Math.floor(random() * 200));
  else holder[name] = `${"word ".repeat(Math.floor(random() * 3_000))}`;
  return copy;
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

/** Changes the text of a body so that a reader may trip. */
export function changedText(random: Random, text: string): string | Buffer {
  switch (Math.floor(random() * 12)) {
    case 0:
      return text.slice(0, Math.floor(random() * text.length));
    case 1:
      return text.replace("{", '{"model":"one","model":"two",');
    case 2:
      return text.replace(/"(\w+)":/, '"$1":1,"$1":');
    case 3:
      return `\ufeff${text}`;
    case 4:
      return `${text}${text}`;
    case 5:
      return Buffer.concat([
        Buffer.from(text.slice(0, -1)),
        Buffer.from([0xff, 0xfe, 0x80]),
        Buffer.from(text.slice(-1)),
      ]);
    case 6:
      return text.replace(/:(\d+|"[^"]*")/, ":1e99999");
    case 7:
      return text.replace(/:(\d+|"[^"]*")/, `:${"9".repeat(400)}`);
    case 8:
      return "[".repeat(1 + Math.floor(random() * 20_000));
    case 9:
      return `${'{"a":'.repeat(2_000)}1${"}".repeat(2_000)}`;
    case 10:
      return text.replaceAll('"', "'");
    default:
      return anyOf(random, ["", " ", "null", "0", '""', "NaN", "undefined", "{}", "[]", "--x\r\n\r\n", "\u0000"]);
  }
}

/** A value as a text. An object may hold a `toString` that is no function. */
function asText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined");
}
