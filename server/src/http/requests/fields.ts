import { Fault } from "@trunkline/core/fault.ts";

/** A JSON object whose fields are not trusted yet. */
export type Fields = Readonly<Record<string, unknown>>;

export function invalidField(param: string, message: string): Fault {
  return new Fault("invalid_request", message, { param });
}

export function readObject(value: unknown, param: string): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw param === ""
      ? new Fault("invalid_request", "The body must be a JSON object.")
      : invalidField(param, `\`${param}\` must be an object.`);
  }
  return value as Fields;
}

/** Whether an object has one of these fields, `null` or not. Most bodies have few of the fields that they may have. */
export function hasAnyOf(fields: Fields, names: ReadonlySet<string>): boolean {
  for (const name in fields) if (names.has(name)) return true;
  return false;
}

/** `null` counts as absent. */
export function readOptional<Value>(value: unknown, read: (value: unknown) => Value): Value | undefined {
  return value === undefined || value === null ? undefined : read(value);
}

export function readString(value: unknown, param: string, minLength: number, maxLength: number): string {
  if (value === undefined || value === null) throw invalidField(param, `\`${param}\` is required.`);
  if (typeof value !== "string") throw invalidField(param, `\`${param}\` must be a string.`);
  // A character outside the basic plane is two UTF-16 units, so an exact count is needed only past the limit.
  const length = value.length > maxLength ? [...value].length : value.length;
  if (length < minLength) throw invalidField(param, `\`${param}\` must not be empty.`);
  if (length > maxLength)
    throw invalidField(param, `\`${param}\` must be at most ${maxLength.toLocaleString("en")} characters.`);
  return value;
}

export function readNumber(value: unknown, param: string, min: number, max: number): number {
  if (typeof value !== "number" || !Number.isFinite(value)) throw invalidField(param, `\`${param}\` must be a number.`);
  if (value < min || value > max) {
    throw invalidField(param, `\`${param}\` must be from ${min.toLocaleString("en")} to ${max.toLocaleString("en")}.`);
  }
  return value;
}

export function readInteger(value: unknown, param: string, min: number, max: number): number {
  const number = readNumber(value, param, min, max);
  if (!Number.isInteger(number)) throw invalidField(param, `\`${param}\` must be a whole number.`);
  return number;
}

export function readBoolean(value: unknown, param: string): boolean {
  if (typeof value !== "boolean") throw invalidField(param, `\`${param}\` must be true or false.`);
  return value;
}

export function readChoice<Choice extends string>(value: unknown, param: string, choices: readonly Choice[]): Choice {
  const choice = choices.find((known) => known === value);
  if (choice === undefined) throw invalidField(param, `\`${param}\` must be one of: ${choices.join(", ")}.`);
  return choice;
}

export function readList<Item>(
  value: unknown,
  param: string,
  maxLength: number,
  readItem: (item: unknown, param: string) => Item,
): Item[] {
  if (!Array.isArray(value)) throw invalidField(param, `\`${param}\` must be a list.`);
  if (value.length > maxLength) throw invalidField(param, `\`${param}\` may hold at most ${maxLength} entries.`);
  return value.map((item, index) => readItem(item, `${param}[${index}]`));
}
