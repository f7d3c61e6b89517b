import { FAULT_STATUS, type FaultType } from "@trunkline/core/fault.ts";
import { PERMISSIONS } from "@trunkline/core/permissions.ts";
import { z } from "zod";
import type { Endpoint } from "../endpoints/endpoint.ts";
import { trunklineDialect } from "../formats/dialect.ts";
import { operationIdOf } from "./operation-id.ts";

/** The faults of every operation. */
const COMMON_FAULTS: readonly FaultType[] = [
  "missing_api_key",
  "invalid_api_key",
  "insufficient_scope",
  "rate_limited",
  "internal",
  "unavailable",
];
const INPUT_FAULTS: readonly FaultType[] = ["invalid_request"];
const BODY_FAULTS: readonly FaultType[] = ["request_timeout", "payload_too_large", "unsupported_media_type"];

/** The OpenAPI 3.1 document, built from the same endpoints as the server's routes. */
export function buildOpenApiDocument(endpoints: readonly Endpoint[]) {
  const paths: Record<string, Record<string, unknown>> = {};
  const dialects = [...new Set([trunklineDialect, ...endpoints.map(({ dialect }) => dialect ?? trunklineDialect)])];
  for (const endpoint of endpoints) {
    const path = openApiPathOf(endpoint.path);
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operationOf(endpoint) };
  }
  for (const [path, { operationId, summary, contentType, mayBeUnready }] of Object.entries(PUBLIC_PATHS)) {
    paths[path] = {
      get: {
        operationId,
        summary,
        tags: ["Service"],
        security: [],
        responses: {
          200: { description: summary, content: { [contentType]: {} } },
          ...(mayBeUnready === true ? { 503: notReadyResponse(contentType) } : {}),
        },
      },
    };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Trunkline",
      version: "1.0.0",
      summary: "One door to every AI model: one HTTP API, one key, one prepaid balance.",
      description:
        "Send a task and an input; get the output, the model that gave it and what it cost. Every operation under `/v1` takes a key as `Authorization: Bearer <key>`, and every error has the same form. The operations of OpenAI's, Anthropic's and Google's formats are found without their prefix as well (`/v1/chat/completions`, `/v1/messages`, `/v1beta/models/…`).",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    security: [{ key: [] }, { session: [] }],
    paths,
    components: {
      securitySchemes: {
        key: {
          type: "apiKey",
          in: "header",
          name: "Authorization",
          description:
            "`Bearer <key>`, or the bare key. The headers `x-api-key`, `api-key` and `x-goog-api-key` are taken as well.",
        },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "trunkline_session",
          description: "The dashboard's session. Counts only where no key is sent.",
        },
      },
      schemas: Object.fromEntries(
        dialects.map(({ errorSchemaName, errorSchema }) => [errorSchemaName, toJsonSchema(errorSchema)]),
      ),
    },
  };
}

/** Paths outside the API, served without a key. */
export const PUBLIC_PATHS: Readonly<
  Record<
    string,
    {
      readonly operationId: string;
      readonly summary: string;
      readonly contentType: string;
      readonly mayBeUnready?: boolean;
    }
  >
> = {
  "/healthz": { operationId: "getHealth", summary: "Whether the process is alive", contentType: "application/json" },
  "/readyz": {
    operationId: "getReadiness",
    summary: "Whether it can serve",
    contentType: "application/json",
    mayBeUnready: true,
  },
  "/metrics": { operationId: "getMetrics", summary: "Prometheus metrics", contentType: "text/plain" },
  "/openapi.json": { operationId: "getOpenApiDocument", summary: "This document", contentType: "application/json" },
};

function notReadyResponse(contentType: string) {
  return {
    description: "It can't serve now.",
    headers: { "Retry-After": { description: "In seconds.", schema: { type: "integer" } } },
    content: { [contentType]: {} },
  };
}

function operationOf(endpoint: Endpoint) {
  const isInference = endpoint.kind === "inference";
  const status = isInference ? 200 : endpoint.status;
  return {
    operationId: operationIdOf(endpoint, openApiPathOf(endpoint.path)),
    summary: endpoint.summary,
    ...(endpoint.description === undefined ? {} : { description: endpoint.description }),
    tags: [endpoint.tag],
    ...accessFields(endpoint),
    "x-rate-limited": true,
    "x-billed": isInference,
    parameters: parametersOf(endpoint),
    ...(endpoint.body === undefined
      ? {}
      : {
          requestBody: {
            required: endpoint.bodyOptional !== true,
            content: { [bodyContentType(endpoint)]: { schema: toJsonSchema(endpoint.body, "input") } },
          },
        }),
    responses: {
      [status]:
        status === 204 || status === 101
          ? { description: status === 204 ? "Done." : "A WebSocket is open." }
          : { description: endpoint.summary, content: responseContent(endpoint) },
      ...errorResponses(endpoint),
    },
  };
}

function bodyContentType(endpoint: Endpoint): string {
  const isForm = endpoint.kind === "inference" && endpoint.bodyFormat === "multipart";
  return isForm ? "multipart/form-data" : "application/json";
}

/** Who may call an operation: keys with a scope, members with a role, or anyone. */
function accessFields(endpoint: Endpoint) {
  if (endpoint.kind === "open") return { security: [] };
  const { scope, roles } = PERMISSIONS[endpoint.permission];
  return scope === undefined
    ? { security: [{ session: [] }], "x-roles": roles }
    : { "x-scope": scope, "x-roles": roles };
}

function responseContent(endpoint: Endpoint) {
  const schema = toJsonSchema(endpoint.response);
  if (endpoint.kind === "inference" && endpoint.responseType !== undefined)
    return { [endpoint.responseType]: { schema } };
  if (endpoint.kind === "inference" && endpoint.whole === undefined) {
    // Trunkline's own form is a line for each part; Google's without `alt=sse` is one list of them.
    const whole =
      endpoint.dialect === undefined
        ? { "application/x-ndjson": { schema } }
        : { "application/json": { schema: { type: "array", items: schema } } };
    return { ...whole, "text/event-stream": { schema } };
  }
  if (endpoint.kind === "inference" && endpoint.event !== undefined) {
    return {
      "application/json": { schema },
      [endpoint.eventType ?? "text/event-stream"]: { schema: toJsonSchema(endpoint.event) },
      ...textContent(endpoint.alternativeContentTypes),
    };
  }
  return {
    "application/json": { schema },
    ...(endpoint.kind === "open" ? {} : textContent(endpoint.alternativeContentTypes)),
  };
}

function textContent(contentTypes: readonly string[] = []) {
  return Object.fromEntries(contentTypes.map((type) => [type, { schema: { type: "string" } }]));
}

function errorResponses(endpoint: Endpoint): Record<string, unknown> {
  const hasInput = endpoint.body !== undefined || endpoint.query !== undefined;
  const types = [
    ...COMMON_FAULTS,
    ...(hasInput ? INPUT_FAULTS : []),
    ...(endpoint.body === undefined ? [] : BODY_FAULTS),
    ...endpoint.faults,
  ];
  const { errorSchemaName } = endpoint.dialect ?? trunklineDialect;
  const byStatus = new Map<number, FaultType[]>();
  for (const type of new Set(types))
    byStatus.set(FAULT_STATUS[type], [...(byStatus.get(FAULT_STATUS[type]) ?? []), type]);
  const entries = [...byStatus].map(([status, names]) => [
    status,
    {
      description: names.join(", "),
      content: { "application/json": { schema: { $ref: `#/components/schemas/${errorSchemaName}` } } },
    },
  ]);
  return Object.fromEntries(entries);
}

function parametersOf(endpoint: Endpoint): unknown[] {
  const inPath = [...openApiPathOf(endpoint.path).matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const query = endpoint.query === undefined ? undefined : toJsonSchema(endpoint.query, "input");
  const inQuery = Object.entries((query?.properties ?? {}) as Record<string, Record<string, unknown>>).map(
    ([name, schema]) => ({
      name,
      in: "query",
      required: false,
      ...(schema.description === undefined ? {} : { description: schema.description }),
      schema,
    }),
  );
  const header =
    endpoint.kind === "inference"
      ? [
          {
            name: "Idempotency-Key",
            in: "header",
            required: false,
            schema: { type: "string", maxLength: 255 },
            description: "One run and one charge per key, for 24 hours.",
          },
        ]
      : [];
  return [...inPath, ...inQuery, ...header];
}

/** A route's path in OpenAPI's form: `:id` becomes `{id}`, and the wildcard of a model's name `{name}`. */
export function openApiPathOf(path: string): string {
  return path.replace(/\/:(\w+)/g, "/{$1}").replace(/\*(?=$|:)/, "{name}");
}

function toJsonSchema(schema: z.ZodType, side: "input" | "output" = "output"): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: side, unrepresentable: "any" }) as Record<
    string,
    unknown
  >;
  return rest;
}
