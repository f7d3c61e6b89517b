/**
 * An object of a record that is written as JSON from where its values are: no copy of them is made for it. The values must
 * not change before it is written.
 */
export abstract class JsonFields {
  abstract readonly names: readonly string[];

  /** The value of the field at this place; undefined: the field is left out. */
  abstract valueAt(place: number): string | number | boolean | undefined;

  toJSON(): Readonly<Record<string, unknown>> {
    return Object.fromEntries(this.names.map((name, place) => [name, this.valueAt(place)]));
  }
}
