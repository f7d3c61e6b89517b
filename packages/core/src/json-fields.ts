/**
 * An object of a record that is written as JSON from where its values are: no copy of them is made for it. The values must
 * not change before it is written.
 */
export abstract class JsonFields {
  abstract readonly names: readonly string[];

  /** The value of the field at this place; undefined: the field is left out. */
  abstract valueAt(place: number): unknown;

  toJSON(): Readonly<Record<string, unknown>> {
    return Object.fromEntries(this.names.map((name, place) => [name, this.valueAt(place)]));
  }
}

/** How the value of each field of a kind of record is found. */
type FieldValues<Source, Context> = Readonly<Record<string, (source: Source, context: Context) => unknown>>;

/** A kind of record: its fields, in their order, are those of one source in a context. */
export class JsonRecord<Source, Context> {
  readonly names: readonly string[];
  readonly values: readonly ((source: Source, context: Context) => unknown)[];

  constructor(fields: FieldValues<Source, Context>) {
    this.names = Object.keys(fields);
    this.values = Object.values(fields);
  }

  of(source: Source, context: Context): JsonFields {
    return new RecordFields(this, source, context);
  }
}

class RecordFields<Source, Context> extends JsonFields {
  readonly #record: JsonRecord<Source, Context>;
  readonly #source: Source;
  readonly #context: Context;

  constructor(record: JsonRecord<Source, Context>, source: Source, context: Context) {
    super();
    this.#record = record;
    this.#source = source;
    this.#context = context;
  }

  get names(): readonly string[] {
    return this.#record.names;
  }

  valueAt(place: number): unknown {
    return this.#record.values[place]?.(this.#source, this.#context);
  }
}
