import { JsonFields } from "@trunkline/core/json-fields.ts";

/** Longer texts are written by Node, whose calls cost more than a short text. */
const SHORT_CHARS_MAX = 64;
/** More than a short text with its name, or a number, takes, and what may follow it: nothing is written behind the end. */
const ROOM_BYTES = 512;
/** A UTF-16 unit takes at most three bytes. */
const BYTES_PER_UNIT = 3;
/** Numbers below are written digit by digit, with at most five decimals. */
const PLAIN_BELOW = 10_000;
const DECIMALS = 5;
const DECIMALS_SCALE = 10 ** DECIMALS;

const QUOTE = 0x22;
const COMMA = 0x2c;
const POINT = 0x2e;
const ZERO = 0x30;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const LIST_START = 0x5b;
const LIST_END = 0x5d;
const OBJECT_START = 0x7b;
const OBJECT_END = 0x7d;

/**
 * Writes a value as JSON, byte for byte as `JSON.stringify` does, in half of the time: no text is made of it first. Returns
 * where it ends; more than the buffer's length: there is too little room, and nothing of what was written counts.
 */
export function writeJson(buffer: Buffer, value: unknown, start: number): number {
  if (start + ROOM_BYTES > buffer.length) return buffer.length + 1;
  switch (typeof value) {
    case "string":
      return writeText(buffer, value, start);
    case "number":
      return writeNumber(buffer, value, start);
    case "object":
      if (value === null) return writeAscii(buffer, "null", start);
      if (Array.isArray(value)) return writeList(buffer, value, start);
      if (value instanceof JsonFields) return writeFields(buffer, value, start);
      return "toJSON" in value ? writeLong(buffer, JSON.stringify(value), start) : writeObject(buffer, value, start);
    case "boolean":
      return writeAscii(buffer, value ? "true" : "false", start);
    default:
      return writeLong(buffer, JSON.stringify(value) ?? "null", start);
  }
}

function writeObject(buffer: Buffer, object: object, start: number): number {
  const fields = object as Readonly<Record<string, unknown>>;
  let at = start;
  buffer[at++] = OBJECT_START;
  for (const name in fields) {
    const value = fields[name];
    if (value === undefined) continue;
    if (at > start + 1) buffer[at++] = COMMA;
    at = writeText(buffer, name, at);
    buffer[at++] = COLON;
    at = writeJson(buffer, value, at);
    if (at > buffer.length) return at;
  }
  buffer[at++] = OBJECT_END;
  return at;
}

function writeFields(buffer: Buffer, fields: JsonFields, start: number): number {
  const { names } = fields;
  let at = start;
  buffer[at++] = OBJECT_START;
  for (let place = 0; place < names.length; place++) {
    const value = fields.valueAt(place);
    if (value === undefined) continue;
    if (at > start + 1) buffer[at++] = COMMA;
    at = writeText(buffer, names[place] ?? "", at);
    buffer[at++] = COLON;
    at = writeJson(buffer, value, at);
    if (at > buffer.length) return at;
  }
  buffer[at++] = OBJECT_END;
  return at;
}

function writeList(buffer: Buffer, list: readonly unknown[], start: number): number {
  let at = start;
  buffer[at++] = LIST_START;
  for (let index = 0; index < list.length; index++) {
    if (index > 0) buffer[at++] = COMMA;
    at = writeJson(buffer, list[index], at);
    if (at > buffer.length) return at;
  }
  buffer[at++] = LIST_END;
  return at;
}

function writeText(buffer: Buffer, text: string, start: number): number {
  const { length } = text;
  if (length > SHORT_CHARS_MAX) return writeLong(buffer, JSON.stringify(text), start);
  buffer[start] = QUOTE;
  for (let index = 0; index < length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code > 0x7e || code === QUOTE || code === BACKSLASH)
      return writeLong(buffer, JSON.stringify(text), start);
    buffer[start + 1 + index] = code;
  }
  buffer[start + 1 + length] = QUOTE;
  return start + 2 + length;
}

function writeNumber(buffer: Buffer, value: number, start: number): number {
  if (value >= 0 && value < PLAIN_BELOW) {
    const scaled = Math.round(value * DECIMALS_SCALE);
    // So few digits name no other number.
    if (scaled / DECIMALS_SCALE === value) {
      const whole = Math.floor(value);
      const at = writeDigits(buffer, whole, digitsOf(whole), start);
      return writeDecimals(buffer, scaled - whole * DECIMALS_SCALE, at);
    }
  }
  return writeAscii(buffer, Number.isFinite(value) ? String(value) : "null", start);
}

function digitsOf(whole: number): number {
  return whole < 10 ? 1 : whole < 100 ? 2 : whole < 1_000 ? 3 : 4;
}

/** Without the zeros at the end. */
function writeDecimals(buffer: Buffer, decimals: number, start: number): number {
  if (decimals === 0) return start;
  let digits = DECIMALS;
  let rest = decimals;
  while (rest % 10 === 0) {
    rest = (rest / 10) | 0;
    digits--;
  }
  buffer[start] = POINT;
  return writeDigits(buffer, rest, digits, start + 1);
}

function writeDigits(buffer: Buffer, value: number, digits: number, start: number): number {
  let rest = value;
  for (let at = start + digits - 1; at >= start; at--) {
    const tenth = (rest / 10) | 0;
    buffer[at] = ZERO + rest - tenth * 10;
    rest = tenth;
  }
  return start + digits;
}

function writeAscii(buffer: Buffer, text: string, start: number): number {
  for (let index = 0; index < text.length; index++) buffer[start + index] = text.charCodeAt(index);
  return start + text.length;
}

function writeLong(buffer: Buffer, text: string, start: number): number {
  const most = start + text.length * BYTES_PER_UNIT;
  return most + ROOM_BYTES > buffer.length ? most + ROOM_BYTES : start + buffer.write(text, start);
}
