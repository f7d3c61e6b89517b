import { z } from "zod";
import {
  type Fields,
  readBoolean,
  readChoice,
  readInteger,
  readList,
  readNumber,
  readObject,
  readString,
} from "./fields.ts";

/**
 * One field of a request body: how its value is read, and how the OpenAPI document describes it. Requests are read by
 * `read` alone; the schema is for the document. `Context` is what a reader needs besides the value, such as the tools
 * that a tool choice may name.
 */
export class Field<Value, Context = void> {
  readonly read: (value: unknown, param: string, context: Context) => Value;
  readonly schema: z.ZodType;

  constructor(read: (value: unknown, param: string, context: Context) => Value, schema: z.ZodType) {
    this.read = read;
    this.schema = schema;
  }

  /** May be left out. `null` is read as left out, although the document does not list it. */
  optional(): Field<Value | undefined, Context> {
    return new Field(skipAbsent(this.read), this.schema.optional());
  }

  /** May be left out or `null`, and the document says so. */
  nullish(): Field<Value | undefined, Context> {
    return new Field(skipAbsent(this.read), this.schema.nullish());
  }

  /** Must be there unless another field is, which its reader checks; the document says so. */
  requiredUnless(name: string): Field<Value, Context> {
    const described = [this.schema.description, `Required unless \`${name}\` is there.`].filter(Boolean).join(" ");
    return new Field(this.read, this.schema.optional().describe(described));
  }

  describe(description: string): Field<Value, Context> {
    return new Field(this.read, this.schema.describe(description));
  }
}

function skipAbsent<Value, Context>(read: (value: unknown, param: string, context: Context) => Value) {
  return (value: unknown, param: string, context: Context): Value | undefined =>
    value === undefined || value === null ? undefined : read(value, param, context);
}

export function numberField(min: number, max: number): Field<number> {
  return new Field((value, param) => readNumber(value, param, min, max), z.number().min(min).max(max));
}

export function integerField(min: number, max: number): Field<number> {
  return new Field((value, param) => readInteger(value, param, min, max), z.int().min(min).max(max));
}

/** A text with a length in characters. */
export function stringField(minLength: number, maxLength: number): Field<string> {
  const atMost = z.string().max(maxLength);
  return new Field(
    (value, param) => readString(value, param, minLength, maxLength),
    minLength === 0 ? atMost : atMost.min(minLength),
  );
}

export function booleanField(): Field<boolean> {
  return new Field(readBoolean, z.boolean());
}

export function choiceField<const Choice extends string>(choices: readonly Choice[]): Field<Choice> {
  return new Field((value, param) => readChoice(value, param, choices), z.enum(choices));
}

export function listField<Item>(maxLength: number, item: Field<Item>): Field<Item[]> {
  return new Field(
    (value, param) => readList(value, param, maxLength, (entry, path) => item.read(entry, path)),
    z.array(item.schema).max(maxLength),
  );
}

/** An object whose own fields are read afterwards, with the readers of its table. */
export function objectField(table: { readonly schema: z.ZodType }): Field<Fields> {
  return new Field(readObject, table.schema);
}

/** Fields by name. */
export type FieldMap = Readonly<Record<string, { readonly read: unknown; readonly schema: z.ZodType }>>;

/** Reads one field of an object by its own name. */
type FieldReader<Entry> =
  Entry extends Field<infer Value, infer Context> ? (fields: Fields, context: Context) => Value : never;

export interface FieldTable<Map extends FieldMap> {
  readonly names: ReadonlySet<string>;
  /** The readers by field name. They are called in the order in which the fields are checked. */
  readonly read: { readonly [Name in keyof Map]: FieldReader<Map[Name]> };
  readonly schema: z.ZodObject;
}

/** Names each field of an object once, for the reader and the document. `parent` is the object's own name in errors. */
export function fieldTable<const Map extends FieldMap>(map: Map, parent?: string): FieldTable<Map> {
  const entries = Object.entries(map) as [string, Field<unknown, unknown>][];
  const readers = entries.map(([name, { read }]) => {
    const param = parent === undefined ? name : `${parent}.${name}`;
    return [name, (fields: Fields, context: unknown) => read(fields[name], param, context)];
  });
  return {
    names: new Set(Object.keys(map)),
    read: Object.fromEntries(readers),
    schema: z.object(Object.fromEntries(entries.map(([name, { schema }]) => [name, schema]))),
  };
}
