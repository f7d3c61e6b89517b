import { Fault } from "@trunkline/core/fault.ts";
import { storableText } from "@trunkline/core/field-schemas.ts";
import { canSendHeader } from "@trunkline/providers/dialer/dialer.ts";
import { z } from "zod";
import { LOG_SINK_KINDS, type LogSink } from "../../../telemetry/log-sinks/log-sink.ts";
import type { LogSinkCredential } from "../../../telemetry/log-sinks/log-sinks.ts";
import { listPage, pageQuery, pageResponseSchema } from "../../responses/list-response.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";

const printable = (length: number) =>
  z
    .string()
    .min(1)
    .max(length)
    .regex(/^[\x21-\x7e]+$/, "must be printable ASCII without spaces");

const HEADERS_MAX = 32;

const sinkFields = {
  url: storableText(z.string().max(2_048)).describe(
    "Where records are sent. otlp: the address for traces. s3: the bucket, with a prefix if you like.",
  ),
  headers: z
    .record(z.string().regex(/^[A-Za-z0-9-]{1,64}$/, "must be the name of a header"), z.string().max(1_024))
    .refine((headers) => Object.keys(headers).length <= HEADERS_MAX, `has at most ${HEADERS_MAX}`)
    .optional()
    .describe("Headers for otlp, such as `Authorization`. They are never shown again."),
  region: printable(64).optional().describe("The bucket's region, for s3."),
  access_key_id: printable(256).optional().describe("For s3."),
  secret_access_key: printable(256).optional().describe("For s3. It is never shown again."),
  include_content: z
    .boolean()
    .optional()
    .describe("Whether prompts and answers are sent as well. Absent: they are not."),
  share: z.number().gt(0).max(1).optional().describe("The share of requests that are sent. Absent: all, 1."),
  description: storableText(z.string().trim().max(256)).optional(),
};

const createSinkSchema = z.object({ kind: z.enum(LOG_SINK_KINDS), ...sinkFields });
const updateSinkSchema = z.object({
  ...sinkFields,
  url: sinkFields.url.optional(),
  enabled: z.boolean().optional().describe("Whether records are sent to it."),
});

/** A log sink as its owner sees it, without its credential. */
const sinkResponseSchema = z.object({
  id: z.string(),
  kind: z.enum(LOG_SINK_KINDS),
  url: z.string(),
  region: z.string().nullable(),
  access_key_id: z.string().nullable(),
  include_content: z.boolean(),
  share: z.number(),
  description: z.string(),
  enabled: z.boolean(),
  last_error: z.string().nullable().describe("Why records were dropped last."),
  last_error_at: z.string().nullable(),
  created_at: z.string(),
});

const secretField = z.string().describe("What records are signed with. Shown this once.");

function toSinkResponse(sink: LogSink): z.infer<typeof sinkResponseSchema> {
  return {
    id: sink.id,
    kind: sink.kind,
    url: sink.url,
    region: sink.region ?? null,
    access_key_id: sink.accessKeyId ?? null,
    include_content: sink.withContent,
    share: sink.share,
    description: sink.description,
    enabled: sink.enabled,
    last_error: sink.lastError ?? null,
    last_error_at: sink.lastErrorAt?.toISOString() ?? null,
    created_at: sink.createdAt.toISOString(),
  };
}

type SinkFields = z.infer<typeof updateSinkSchema>;

function credentialOf({ headers, secret_access_key: secretAccessKey }: SinkFields): LogSinkCredential {
  return { headers, secretAccessKey };
}

/** Refuses fields of another kind of sink, and headers that can't be sent. */
function checkFields(kind: LogSink["kind"], body: SinkFields): void {
  for (const [name, value] of Object.entries(body.headers ?? {}))
    if (!canSendHeader(name, value))
      throw new Fault(
        "invalid_request",
        `The header \`${name}\` can't be sent: its value has a character that headers can't have, or the service sets it itself.`,
        { param: "headers" },
      );
  const foreign =
    kind === "s3"
      ? (["headers"] as const)
      : kind === "otlp"
        ? (["region", "access_key_id", "secret_access_key"] as const)
        : (["headers", "region", "access_key_id", "secret_access_key"] as const);
  for (const param of foreign)
    if (body[param] !== undefined)
      throw new Fault("invalid_request", `A sink of the kind \`${kind}\` has no \`${param}\`.`, { param });
}

function requireBucketFields(body: z.infer<typeof createSinkSchema>): void {
  if (body.kind !== "s3") return;
  for (const param of ["region", "access_key_id", "secret_access_key"] as const)
    if (body[param] === undefined)
      throw new Fault("invalid_request", `A sink of the kind \`s3\` needs \`${param}\`.`, { param });
}

/** The audit log gets only the host: the rest of a URL is often a secret. */
function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}

const createSink = controlEndpoint({
  method: "POST",
  path: "/v1/log-sinks",
  permission: "webhooks.change",
  audit: {
    action: "log_sink.create",
    nameOf: (_context, result) => hostOf(result.url),
    details: ({ body }) => ({ kind: body.kind, include_content: body.include_content === true }),
  },
  status: 201,
  tag: "Log sinks",
  summary: "Send the account's requests to a log of your own",
  description:
    "`otlp`: spans by OpenTelemetry's protocol, as Langfuse and others take them. `http`: JSON lines, signed as webhooks are. `s3`: compressed JSON lines in a bucket. The URL must be `https` on a public address; a key with the scope `admin` may name `http` and private addresses. At most 3 an account.",
  faults: ["conflict"],
  body: createSinkSchema,
  response: sinkResponseSchema.extend({ secret: secretField.optional() }),
  async handle({ services, caller, body }) {
    checkFields(body.kind, body);
    requireBucketFields(body);
    const settings = {
      kind: body.kind,
      url: body.url,
      region: body.region,
      accessKeyId: body.access_key_id,
      withContent: body.include_content ?? false,
      share: body.share ?? 1,
      description: body.description ?? "",
    };
    const { sink, secret } = await services.logSinks.create(caller, settings, credentialOf(body));
    services.identity.keyring.invalidate();
    return { ...toSinkResponse(sink), ...(secret === undefined ? {} : { secret }) };
  },
});

const listSinks = controlEndpoint({
  method: "GET",
  path: "/v1/log-sinks",
  permission: "webhooks.read",
  status: 200,
  tag: "Log sinks",
  summary: "List the account's log sinks",
  faults: [],
  query: pageQuery,
  response: pageResponseSchema(sinkResponseSchema),
  handle: ({ services, caller, query }) =>
    listPage(query, (limit, cursor) => services.logSinks.list(caller, limit, cursor), toSinkResponse),
});

const readSink = controlEndpoint({
  method: "GET",
  path: "/v1/log-sinks/:id",
  permission: "webhooks.read",
  status: 200,
  tag: "Log sinks",
  summary: "Read a log sink",
  faults: ["not_found"],
  response: sinkResponseSchema,
  handle: async ({ services, caller, params }) => toSinkResponse(await services.logSinks.find(caller, params.id ?? "")),
});

const changeSink = controlEndpoint({
  method: "PATCH",
  path: "/v1/log-sinks/:id",
  permission: "webhooks.change",
  audit: {
    action: "log_sink.change",
    nameOf: (_context, result) => hostOf(result.url),
    details: (_context, result) => ({ enabled: result.enabled, include_content: result.include_content }),
  },
  status: 200,
  tag: "Log sinks",
  summary: "Change a log sink",
  description:
    "What is not given stays. A URL of another origin needs its credential with it; one of the kind `http` gets a new secret, shown this once.",
  faults: ["not_found"],
  body: updateSinkSchema,
  response: sinkResponseSchema.extend({ secret: secretField.optional() }),
  async handle({ services, caller, params, body }) {
    const { kind } = await services.logSinks.find(caller, params.id ?? "");
    checkFields(kind, body);
    const change = {
      ...(body.url === undefined ? {} : { url: body.url }),
      ...(body.region === undefined ? {} : { region: body.region }),
      ...(body.access_key_id === undefined ? {} : { accessKeyId: body.access_key_id }),
      ...(body.include_content === undefined ? {} : { withContent: body.include_content }),
      ...(body.share === undefined ? {} : { share: body.share }),
      ...(body.description === undefined ? {} : { description: body.description }),
      ...(body.enabled === undefined ? {} : { enabled: body.enabled }),
    };
    const { sink, secret } = await services.logSinks.change(caller, params.id ?? "", change, credentialOf(body));
    services.identity.keyring.invalidate();
    return { ...toSinkResponse(sink), ...(secret === undefined ? {} : { secret }) };
  },
});

const deleteSink = controlEndpoint({
  method: "DELETE",
  path: "/v1/log-sinks/:id",
  permission: "webhooks.change",
  audit: { action: "log_sink.delete" },
  status: 204,
  tag: "Log sinks",
  summary: "Delete a log sink",
  faults: ["not_found"],
  response: z.null(),
  async handle({ services, caller, params }) {
    await services.logSinks.remove(caller, params.id ?? "");
    services.identity.keyring.invalidate();
    return null;
  },
});

const testSink = controlEndpoint({
  method: "POST",
  path: "/v1/log-sinks/:id/test",
  permission: "webhooks.change",
  audit: { action: "log_sink.test" },
  status: 200,
  tag: "Log sinks",
  summary: "Send a sample record now",
  description: "Once, also where it is switched off. Answers with why it was not taken, if it was not.",
  faults: ["not_found"],
  response: z.object({ delivered: z.boolean(), error: z.string().nullable() }),
  async handle({ services, caller, params, signal }) {
    const error = await services.logSinks.sendTest(caller, params.id ?? "", signal);
    return { delivered: error === undefined, error: error ?? null };
  },
});

export const logSinkEndpoints: readonly Endpoint[] = [
  createSink,
  listSinks,
  readSink,
  changeSink,
  deleteSink,
  testSink,
];
