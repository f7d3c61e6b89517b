/** The tags of the fields of OTLP's messages that are written here: the number of the field and the form of its value. */
export const TAGS = {
  /** Of the request. */
  resourceSpans: 0x0a,
  /** Of ResourceSpans. */
  scopeSpans: 0x12,
  /** Of ScopeSpans. */
  scope: 0x0a,
  spans: 0x12,
  /** Of Span. */
  traceId: 0x0a,
  spanId: 0x12,
  parentSpanId: 0x22,
  name: 0x2a,
  kind: 0x30,
  startTime: 0x39,
  endTime: 0x41,
  attributes: 0x4a,
  status: 0x7a,
  /** In two bytes, the lower one first. */
  flags: [0x85, 0x01],
  /** Of KeyValue. */
  key: 0x0a,
  value: 0x12,
  /** Of AnyValue. */
  stringValue: 0x0a,
  boolValue: 0x10,
  intValue: 0x18,
  doubleValue: 0x21,
  /** Of Status. */
  statusMessage: 0x12,
  statusCode: 0x18,
} as const;

/** How many bytes a number takes in protobuf's form of variable length. Not for negative ones. */
export function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) length++;
  return length;
}

/** A number of any size in protobuf's form of variable length. */
export function toVarint(value: number): Buffer {
  const bytes: number[] = [];
  // Negative numbers are written as 64 bits.
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}

/** A field whose value has a length: a text, or another message. */
export function lengthField(tag: number, value: string | Buffer): Buffer {
  const bytes = typeof value === "string" ? Buffer.from(value) : value;
  return Buffer.concat([Buffer.of(tag), toVarint(bytes.length), bytes]);
}

/** An attribute with a text, as a field of a span or of a resource. */
export function stringAttribute(tag: number, name: string, value: string): Buffer {
  const any = lengthField(TAGS.stringValue, value);
  return lengthField(tag, Buffer.concat([lengthField(TAGS.key, name), lengthField(TAGS.value, any)]));
}

const RESOURCE_ATTRIBUTES_TAG = 0x0a;

/** What a batch of spans comes from. */
export function resourceField(resource: Readonly<Record<string, string>>): Buffer {
  const attributes = Object.entries(resource).map(([name, value]) =>
    stringAttribute(RESOURCE_ATTRIBUTES_TAG, name, value),
  );
  return lengthField(0x0a, Buffer.concat(attributes));
}

/** The scope of all spans. */
export const SCOPE = lengthField(TAGS.scope, lengthField(0x0a, "trunkline"));
