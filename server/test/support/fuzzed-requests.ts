import type { Random } from "@trunkline/core/random.ts";
import {
  anyOf,
  changedText,
  changedValue,
  fittingValue,
  type JsonSchema,
  type KnownValues,
  oddValue,
} from "./fuzzed-values.ts";

/** An operation of the OpenAPI document. */
export interface Operation {
  readonly method: string;
  /** With its parameters in braces. */
  readonly path: string;
  /** The scope that a key needs for it; undefined: none suffices, or none is needed. */
  readonly scope: string | undefined;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: JsonSchema }[];
  readonly body: { readonly type: string; readonly schema: JsonSchema } | undefined;
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
}

export interface DocumentedResponse {
  readonly content?: Readonly<Record<string, { readonly schema?: JsonSchema }>>;
}

interface Document {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly "x-scope"?: string;
            readonly parameters?: Operation["parameters"];
            readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> };
            readonly responses: Operation["responses"];
          }
        >
      >
    >
  >;
}

export function operationsOf({ paths }: Document): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { "x-scope": scope, parameters = [], requestBody, responses }]) => {
      const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
      const body = type === undefined || content === undefined ? undefined : { type, schema: content.schema };
      return { method: method.toUpperCase(), path, scope, parameters, body, responses };
    }),
  );
}

/** A request that was made up for an operation. */
export interface FuzzedRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Buffer | undefined;
  /** Method and path are still the operation's own, so that it must answer as it is documented. */
  readonly isAddressed: boolean;
}

const ODD_PARAMETERS = [
  "x",
  "0",
  "-1",
  "%00",
  "%",
  "%zz",
  "%ff%fe",
  "%2e%2e",
  "..",
  "%2F",
  "a%2Fb",
  "%F0%9F%98%80",
  "null",
  "undefined",
  "__proto__",
  "constructor",
  "a".repeat(301),
  "a".repeat(5_000),
  "00000000-0000-0000-0000-000000000000",
  "ffffffff-ffff-ffff-ffff-ffffffffffff",
  "'%22;--",
  "a:b",
  "a:generateContent",
  "%20",
  "2026-13",
  "0000-01",
  "99999-01",
];

const ODD_HEADERS: readonly (readonly [string, string | string[]])[] = [
  ["accept", "text/event-stream"],
  ["accept", "text/csv"],
  ["accept", "application/x-ndjson;q=0, */*"],
  ["accept", "\u0080\u00ff"],
  ["accept", ""],
  ["accept-encoding", "gzip;q=x, br, identity;q=0"],
  ["content-encoding", "gzip"],
  ["content-encoding", "br, deflate"],
  ["idempotency-key", "the same each time"],
  ["idempotency-key", "k".repeat(256)],
  ["idempotency-key", ""],
  ["idempotency-key", "\u0080"],
  ["idempotency-key", ["one", "two"]],
  ["x-forwarded-for", "not an address, 300.1.1.1"],
  ["x-forwarded-for", ["::1", "::2"]],
  ["x-request-id", "\u00e9".repeat(300)],
  ["x-client-request-id", "x".repeat(1_000)],
  ["user-agent", "\u00ff".repeat(2_000)],
  ["if-none-match", "*"],
  ["if-none-match", '"x", W/"y"'],
  ["range", "bytes=0-0,5-1"],
  ["expect", "100-continue"],
  ["expect", "something else"],
  ["origin", "null"],
  ["origin", "https://other.example"],
  ["cookie", "trunkline_session=%ff; =; ;;trunkline_session"],
  ["x-api-key", "sk-of-another-service"],
  ["x-goog-api-key", ""],
  ["authorization", "Basic eDp5"],
  ["authorization", "Bearer"],
  ["anthropic-version", "\u0080"],
  ["anthropic-beta", "a,b,,"],
  ["mcp-protocol-version", "1"],
  ["mcp-session-id", "x"],
  ["last-event-id", "-1"],
  ["x-http-method-override", "DELETE"],
  ["x-odd", "y".repeat(8_000)],
];

const CONTENT_TYPES = [
  "text/plain",
  "application/xml",
  "multipart/form-data",
  "multipart/form-data; boundary=x",
  "application/x-www-form-urlencoded",
  "application/json; charset=utf-16",
  "application/json; charset=",
  "application/jsonl",
  "application/vnd.api+json",
  "APPLICATION/JSON",
  ";",
  "",
  "\u0080/\u00ff",
];

const BOUNDARY = "a-boundary-of-the-tests";

/** Makes up a request: one that fits the operation's schemas, mostly with one or two things changed. */
export function fuzzedRequest(random: Random, operation: Operation, known: KnownValues): FuzzedRequest {
  let isAddressed = true;
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (random() < 0.15) {
      isAddressed = false;
      return anyOf(random, ODD_PARAMETERS);
    }
    const value =
      name === "name" ? anyOf(random, known.models) : name === "month" ? "2026-11" : anyOf(random, known.ids);
    return encodeURIComponent(value);
  });
  const headers: Record<string, string | string[]> = {};
  const body = fuzzedBody(random, operation, known, headers);
  while (random() < 0.12) {
    const [name, value] = anyOf(random, ODD_HEADERS);
    headers[name] = value;
  }
  let { method } = operation;
  if (random() < 0.02) {
    isAddressed = false;
    method = anyOf(random, ["HEAD", "OPTIONS", "TRACE", "PUT", "PROPFIND", "DELETE", "QUERY"]);
  }
  return { method, path: path + fuzzedQuery(random, operation, known), headers, body, isAddressed };
}

function fuzzedQuery(random: Random, { parameters }: Operation, known: KnownValues): string {
  const fields: string[] = [];
  for (const { name, in: place, schema } of parameters) {
    if (place !== "query" || random() < 0.6) continue;
    const value = random() < 0.35 ? oddValue(random) : fittingValue(random, schema, known, name);
    const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
    fields.push(`${name}=${encodeURIComponent(Buffer.from(text.slice(0, 1_000)).toString())}`);
    if (random() < 0.05) fields.push(`${name}=again`);
    if (random() < 0.03) fields.push(`${name}[]=1`, `${name}[a]=1`);
  }
  if (random() < 0.06)
    fields.push(anyOf(random, ["extra=1", "__proto__=1", "=", "&&", "%=%", "a=%ff", "?", "key=x", "alt=sse"]));
  return fields.length === 0 ? "" : `?${fields.join("&")}`;
}

function fuzzedBody(
  random: Random,
  { method, body }: Operation,
  known: KnownValues,
  headers: Record<string, string | string[]>,
): Buffer | undefined {
  // A body where none is wanted is sent now and then as well.
  if (body === undefined && random() < (method === "POST" ? 0.2 : 0.9)) return undefined;
  if (random() < 0.02) return undefined;
  let value = body === undefined ? { purpose: "batch", file: "{}" } : fittingValue(random, body.schema, known);
  for (let chance = 0.55; random() < chance; chance /= 2) value = changedValue(random, value);
  headers["content-type"] = random() < 0.04 ? anyOf(random, CONTENT_TYPES) : "application/json";
  if (body?.type === "multipart/form-data" || (body === undefined && random() < 0.7)) {
    if (random() < 0.9) headers["content-type"] = `multipart/form-data; boundary=${BOUNDARY}`;
    const form = Buffer.from(formOf(value));
    return random() < 0.15 ? form.subarray(0, Math.floor(random() * form.length)) : form;
  }
  const text = JSON.stringify(value) ?? "";
  return Buffer.from(random() < 0.1 ? changedText(random, text) : text);
}

function formOf(value: unknown): string {
  const fields = Object.entries(typeof value === "object" && value !== null ? value : {}).map(([name, field]) => {
    const isFile = name === "file";
    const head = `content-disposition: form-data; name="${name}"${isFile ? '; filename="a.jsonl"' : ""}`;
    return `--${BOUNDARY}\r\n${head}\r\n\r\n${typeof field === "string" ? field : JSON.stringify(field)}\r\n`;
  });
  return `${fields.join("")}--${BOUNDARY}--\r\n`;
}

/** A request as a command that sends it again. */
export function curlOf(url: string, { method, path, headers, body }: FuzzedRequest): string {
  const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const fields = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value) => `-H ${quote(value === "" ? `${name};` : `${name}: ${value}`)}`),
  );
  const command = ["curl -i --path-as-is -g", `-X ${method}`, ...fields, quote(url + path)].join(" ");
  if (body === undefined) return command;
  const isPlain = /^[\x20-\x7e]*$/.test(body.toString("latin1"));
  if (isPlain) return `${command} --data-binary ${quote(body.toString())}`;
  return `echo ${body.toString("base64")} | base64 -d | ${command} --data-binary @-`;
}
