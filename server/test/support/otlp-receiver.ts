import { createRequire } from "node:module";
import { startUpstream, type Upstream, type UpstreamRequest } from "./scripted-upstream.ts";

interface MessageType {
  decode(bytes: Uint8Array): unknown;
  encode(message: unknown): { finish(): Uint8Array };
  fromObject(object: unknown): unknown;
  toObject(message: unknown, options: unknown): unknown;
}

/** The messages of OTLP, compiled from the official `.proto` files. */
const { opentelemetry } = createRequire(import.meta.url)(
  "@opentelemetry/otlp-transformer/build/src/generated/root.js",
) as {
  opentelemetry: {
    proto: {
      collector: {
        trace: { v1: { ExportTraceServiceRequest: MessageType } };
        metrics: { v1: { ExportMetricsServiceRequest: MessageType } };
        logs: { v1: { ExportLogsServiceRequest: MessageType } };
      };
    };
  };
};
const { collector } = opentelemetry.proto;
const MESSAGES: Readonly<Record<string, MessageType>> = {
  "/v1/traces": collector.trace.v1.ExportTraceServiceRequest,
  "/v1/metrics": collector.metrics.v1.ExportMetricsServiceRequest,
  "/v1/logs": collector.logs.v1.ExportLogsServiceRequest,
};

/** A receiver of OTLP/HTTP that takes only what the official messages have room for, and answers 400 to the rest. */
export interface OtlpReceiver extends Pick<Upstream, "url" | "close"> {
  readonly requests: readonly UpstreamRequest[];
  /** What a request had, as OTLP's JSON has it. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into items of every shape and assert what they find.
  bodyOf(request: UpstreamRequest): any;
  /** Why it refused requests. */
  readonly refused: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: tests look into items of every shape and assert what they find.
  spans(): any[];
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  metrics(): any[];
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  logs(): any[];
}

const PROTOBUF = "application/x-protobuf";

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const refused: string[] = [];
  const upstream = await startUpstream((request) => {
    const mistake = request.headers["content-type"] === PROTOBUF ? findProtoMistake(request) : findMistake(request);
    if (mistake === undefined) return { body: "{}" };
    refused.push(mistake);
    return { status: 400, body: JSON.stringify({ message: mistake }) };
  });
  const items = (path: string, [resource, scope, item]: readonly [string, string, string]) =>
    upstream.requests
      .filter((request) => request.path === path)
      .flatMap((request) => bodyOf(request)[resource])
      .flatMap((each) => each[scope])
      .flatMap((each) => each[item]);
  return {
    url: upstream.url,
    requests: upstream.requests,
    bodyOf,
    refused,
    spans: () => items("/v1/traces", ["resourceSpans", "scopeSpans", "spans"]),
    metrics: () => items("/v1/metrics", ["resourceMetrics", "scopeMetrics", "metrics"]),
    logs: () => items("/v1/logs", ["resourceLogs", "scopeLogs", "logRecords"]),
    close: () => upstream.close(),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into items of every shape and assert what they find.
function bodyOf({ path, json, headers, body }: UpstreamRequest): any {
  const message = MESSAGES[path];
  if (headers["content-type"] !== PROTOBUF || message === undefined) return json;
  const read = message.toObject(message.decode(body), { longs: String, bytes: String });
  return mapIds(read, (base64) => Buffer.from(base64, "base64").toString("hex"));
}

/** What the official messages do not know, or is not written in the shortest form, has another length when it is written again. */
function findProtoMistake({ path, body }: UpstreamRequest): string | undefined {
  const message = MESSAGES[path];
  if (message === undefined) return `There is no ${path}.`;
  const { length } = message.encode(message.decode(body)).finish();
  return length === body.length ? undefined : `Sent ${body.length} bytes, read ${length}.`;
}

/** What the official messages do not know, or know by another type, is missing or different when it comes back. */
function findMistake({ path, json, headers }: UpstreamRequest): string | undefined {
  const message = MESSAGES[path];
  if (message === undefined) return `There is no ${path}.`;
  if (headers["content-type"] !== "application/json") return "The content type is not JSON.";
  const sent = normalise(json);
  const read = normalise(message.toObject(message.fromObject(withBytes(json)), { longs: String, bytes: String }));
  return read === sent ? undefined : `Sent ${sent}, read ${read}.`;
}

/** OTLP writes ids in hexadecimal digits, where protobuf's JSON has base64. */
function withBytes(value: unknown): unknown {
  return mapIds(value, (hex) => Buffer.from(hex, "hex").toString("base64"));
}

function mapIds(value: unknown, change: (id: string) => string): unknown {
  if (Array.isArray(value)) return value.map((each) => mapIds(each, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      /^(traceId|spanId|parentSpanId)$/.test(name) && typeof inner === "string" ? change(inner) : mapIds(inner, change),
    ]),
  );
}

/** One form of both: empty lists and the order of fields do not count. */
function normalise(value: unknown): string {
  const sort = (each: unknown): unknown => {
    if (Array.isArray(each)) return each.map(sort);
    if (typeof each !== "object" || each === null) return each;
    return Object.fromEntries(
      Object.entries(each)
        .filter(([, inner]) => !(Array.isArray(inner) && inner.length === 0))
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([name, inner]) => [name, sort(inner)]),
    );
  };
  const toHex = (id: string) => (/^[0-9a-f]+$/.test(id) ? id : Buffer.from(id, "base64").toString("hex"));
  return JSON.stringify(mapIds(sort(value), toHex));
}
