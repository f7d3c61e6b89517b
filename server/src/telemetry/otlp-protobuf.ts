import { lengthField, resourceField, SCOPE, TAGS, toVarint, varintLength } from "./protobuf.ts";

/** How a value is written: as one of protobuf's forms, as a message of its own, or as a list of them. */
type FieldForm =
  | "string"
  | "hex"
  | "varint"
  | "bool"
  | "double"
  | "fixed64"
  | "packed doubles"
  | "packed fixed64"
  | Message
  | readonly [Message];

/** A message of OTLP: the number and the form of each of its fields, by its name in OTLP's JSON. */
interface Message {
  readonly [name: string]: readonly [number: number, form: FieldForm];
}

const ANY_VALUE: Message = { stringValue: [1, "string"], boolValue: [2, "bool"], doubleValue: [4, "double"] };
const KEY_VALUE: Message = { key: [1, "string"], value: [2, ANY_VALUE] };
const NUMBER_POINT: Message = {
  startTimeUnixNano: [2, "fixed64"],
  timeUnixNano: [3, "fixed64"],
  asDouble: [4, "double"],
  attributes: [7, [KEY_VALUE]],
};
const HISTOGRAM_POINT: Message = {
  startTimeUnixNano: [2, "fixed64"],
  timeUnixNano: [3, "fixed64"],
  count: [4, "fixed64"],
  sum: [5, "double"],
  bucketCounts: [6, "packed fixed64"],
  explicitBounds: [7, "packed doubles"],
  attributes: [9, [KEY_VALUE]],
};
export const METRIC: Message = {
  name: [1, "string"],
  description: [2, "string"],
  gauge: [5, { dataPoints: [1, [NUMBER_POINT]] }],
  sum: [7, { dataPoints: [1, [NUMBER_POINT]], aggregationTemporality: [2, "varint"], isMonotonic: [3, "bool"] }],
  histogram: [9, { dataPoints: [1, [HISTOGRAM_POINT]], aggregationTemporality: [2, "varint"] }],
};
export const LOG_RECORD: Message = {
  timeUnixNano: [1, "fixed64"],
  severityNumber: [2, "varint"],
  severityText: [3, "string"],
  body: [5, ANY_VALUE],
  attributes: [6, [KEY_VALUE]],
  traceId: [9, "hex"],
};

const WIRE_VARINT = 0;
const WIRE_FIXED64 = 1;
const WIRE_LENGTH = 2;

/** Writes an item of OTLP's JSON in protobuf's form, as a field of the message that is sent. For metrics and logs, of which there are few. */
export function toProtoItem(message: Message, item: object): Buffer {
  return lengthField(TAGS.spans, encode(message, item));
}

function encode(message: Message, item: object): Buffer {
  const values = item as Readonly<Record<string, unknown>>;
  const pieces: Buffer[] = [];
  for (const [name, [number, form]] of Object.entries(message)) {
    const value = values[name];
    if (value !== undefined) pieces.push(...encodeField(number, form, value));
  }
  return Buffer.concat(pieces);
}

function encodeField(number: number, form: FieldForm, value: unknown): Buffer[] {
  const tag = (wire: number) => toVarint((number << 3) | wire);
  const ofLength = (bytes: Buffer) => [tag(WIRE_LENGTH), toVarint(bytes.length), bytes];
  switch (form) {
    case "string":
      return ofLength(Buffer.from(String(value)));
    case "hex":
      return ofLength(Buffer.from(String(value), "hex"));
    case "varint":
      return [tag(WIRE_VARINT), toVarint(Number(value))];
    case "bool":
      return [tag(WIRE_VARINT), Buffer.of(value === true ? 1 : 0)];
    case "double":
      return [tag(WIRE_FIXED64), toDouble(value)];
    case "fixed64":
      return [tag(WIRE_FIXED64), toFixed64(value)];
    case "packed doubles":
      return ofLength(Buffer.concat(listOf(value).map(toDouble)));
    case "packed fixed64":
      return ofLength(Buffer.concat(listOf(value).map(toFixed64)));
    default:
      return isList(form)
        ? listOf(value).flatMap((each) => ofLength(encode(form[0], each as object)))
        : ofLength(encode(form, value as object));
  }
}

function isList(form: Message | readonly [Message]): form is readonly [Message] {
  return Array.isArray(form);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function toDouble(value: unknown): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(Number(value));
  return bytes;
}

function toFixed64(value: unknown): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(String(value)));
  return bytes;
}

/** Puts items of one signal into the message that is sent. All have one resource and one scope. */
export function createProtoEnvelope(resource: Readonly<Record<string, string>>): (items: readonly Buffer[]) => Buffer {
  const before = resourceField(resource);
  return (items) => {
    let scopeLength = SCOPE.length;
    for (const { length } of items) scopeLength += length;
    const length = before.length + 1 + varintLength(scopeLength) + scopeLength;
    const head = [Buffer.of(TAGS.resourceSpans), toVarint(length), before];
    return Buffer.concat([...head, Buffer.of(TAGS.scopeSpans), toVarint(scopeLength), SCOPE, ...items]);
  };
}
