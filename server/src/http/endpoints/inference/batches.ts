import type { IncomingMessage } from "node:http";
import { Fault } from "@trunkline/core/fault.ts";
import { z } from "zod";
import { ATTACHED_PURPOSES, isAttachedPurpose } from "../../../batches/attached-file.ts";
import { FILE_PURPOSES, type Upload } from "../../../batches/batches.ts";
import type { Dialect } from "../../formats/dialect.ts";
import { openAiDialect } from "../../formats/openai/dialect.ts";
import { readBytes, readMultipart } from "../../requests/read-body.ts";
import { readKeptMs, readUploadedFile, requireContent } from "../../requests/uploaded-file.ts";
import {
  batchResponseSchema,
  createBatchSchema,
  fileResponseSchema,
  parseBatchId,
  parseFileId,
  toBatchResponse,
  toFileResponse,
} from "../../responses/batch.ts";
import { openAiListQuery, openAiListSchema, requireCursor, toOpenAiList } from "../../responses/list-response.ts";
import { controlEndpoint, type Endpoint, type InferenceEndpoint, Reply } from "../endpoint.ts";

/** The operations that a batch can be sent to, by the names that clients give. */
interface BatchTargets {
  find(name: string): InferenceEndpoint | undefined;
  names(): readonly string[];
}

/** The prefix of OpenAI's wire format without its version, which its clients leave out in a batch. */
const OPENAI_PREFIX = openAiDialect.prefix.replace(/\/v1$/, "");

/**
 * Every inference operation that takes JSON at a fixed path and gives whole answers. OpenAI's clients name
 * `/v1/chat/completions` what is under `/openai` here. A name that both prefixes have means the OpenAI operation, since
 * batches are in OpenAI's format.
 */
export function createBatchTargets(endpoints: readonly Endpoint[]): BatchTargets {
  const callable = new Map(
    endpoints.flatMap((endpoint) =>
      endpoint.kind === "inference" &&
      endpoint.whole !== undefined &&
      endpoint.bodyFormat === undefined &&
      !endpoint.path.includes(":")
        ? [[endpoint.path, endpoint] as const]
        : [],
    ),
  );
  return {
    find: (name) => callable.get(OPENAI_PREFIX + name) ?? callable.get(name),
    names() {
      const short = [...callable.keys()].map((path) =>
        path.startsWith(`${OPENAI_PREFIX}/`) ? path.slice(OPENAI_PREFIX.length) : path,
      );
      return [...new Set(short)].sort();
    },
  };
}

/** The operations on batches, as OpenAI's libraries know them, under the prefix of a wire format. */
export function batchEndpoints(prefix: string, dialect: Dialect, targets: BatchTargets): readonly Endpoint[] {
  const common = { tag: "Batches", dialect } as const;
  return [
    controlEndpoint({
      ...common,
      method: "POST",
      path: `${prefix}/batches`,
      permission: "batches.use",
      audit: { action: "batch.create" },
      status: 200,
      summary: "Run a file of requests",
      description:
        "Every line goes down the same line as a request of its own, in the name of the key that made the batch: its limits, budget and balance hold for each. What lacks money or rate is tried again until the window ends.",
      faults: ["conflict"],
      body: createBatchSchema,
      response: batchResponseSchema,
      async handle({ services, caller, body, request }) {
        if (targets.find(body.endpoint) === undefined) throw unknownEndpointFault(targets.names());
        const batch = await services.batching.batches.create(caller, request.ip, {
          inputFileId: parseFileId(body.input_file_id),
          endpoint: body.endpoint,
          metadata: body.metadata ?? undefined,
        });
        return toBatchResponse(batch);
      },
    }),
    controlEndpoint({
      ...common,
      method: "GET",
      path: `${prefix}/batches`,
      permission: "batches.read",
      status: 200,
      summary: "List the account's batches",
      faults: [],
      query: openAiListQuery(100, 20),
      response: openAiListSchema(batchResponseSchema),
      async handle({ services, caller, query: { limit, after } }) {
        const cursor = after === undefined ? undefined : requireCursor(parseBatchId(after), "after");
        const batches = await services.batching.batches.list(caller, { after: cursor }, limit + 1);
        return toOpenAiList(batches.map(toBatchResponse), limit);
      },
    }),
    controlEndpoint({
      ...common,
      method: "GET",
      path: `${prefix}/batches/:id`,
      permission: "batches.read",
      status: 200,
      summary: "One batch and how far it is",
      faults: ["not_found"],
      response: batchResponseSchema,
      handle: async ({ services, caller, params }) =>
        toBatchResponse(await services.batching.batches.find(caller, parseBatchId(params.id ?? ""))),
    }),
    controlEndpoint({
      ...common,
      method: "POST",
      path: `${prefix}/batches/:id/cancel`,
      permission: "batches.use",
      audit: { action: "batch.cancel" },
      status: 200,
      summary: "Cancel a batch",
      description: "What runs is finished, and what is done can be read; the rest is not begun.",
      faults: ["not_found", "conflict"],
      response: batchResponseSchema,
      handle: async ({ services, caller, params }) =>
        toBatchResponse(await services.batching.batches.cancel(caller, parseBatchId(params.id ?? ""))),
    }),
  ];
}

/** Lists what a batch can be sent to. */
function unknownEndpointFault(names: readonly string[]): Fault {
  return new Fault("invalid_request", `\`endpoint\` must be one of: ${names.join(", ")}.`, {
    param: "endpoint",
  });
}

/** The operations on files, as OpenAI's libraries know them, under the prefix of a wire format. */
export function fileEndpoints(prefix: string, dialect: Dialect): readonly Endpoint[] {
  const common = { tag: "Batches", dialect } as const;
  return [
    controlEndpoint({
      ...common,
      method: "POST",
      path: `${prefix}/files`,
      permission: "batches.use",
      audit: { action: "file.create", nameOf: (_context, { filename }) => filename },
      status: 200,
      summary: "Upload a file of requests, or one that messages name",
      description:
        "A form (`multipart/form-data`) with `purpose` and `file`, or the JSON lines of a batch themselves as `application/jsonl`. The purpose is `batch`, or `user_data`, `vision` or `assistants` for a file that messages name by `file_id`: such a file is encrypted. Kept for 30 days, or for `expires_after[seconds]` where that is less.",
      faults: ["conflict", "invalid_request", "request_timeout", "payload_too_large", "unsupported_media_type"],
      response: fileResponseSchema,
      async handle({ services, caller, request }) {
        const { attachmentBodyBytes, bodyWaitMs } = services.config.limits;
        const upload = await readUpload(request.raw, attachmentBodyBytes, bodyWaitMs);
        return toFileResponse(await services.batching.batches.upload(caller, upload));
      },
    }),
    controlEndpoint({
      ...common,
      method: "GET",
      path: `${prefix}/files`,
      permission: "batches.read",
      status: 200,
      summary: "List the account's files",
      faults: [],
      query: openAiListQuery(1_000, 100).extend({
        purpose: z.enum(FILE_PURPOSES).optional(),
        order: z.enum(["desc"]).optional().describe("Newest first, always."),
      }),
      response: openAiListSchema(fileResponseSchema),
      async handle({ services, caller, query: { limit, after, purpose } }) {
        const filter = {
          purposes: purpose === undefined ? undefined : [purpose],
          after: after === undefined ? undefined : requireCursor(parseFileId(after), "after"),
        };
        const files = await services.batching.batches.files(caller, filter, limit + 1);
        return toOpenAiList(files.map(toFileResponse), limit);
      },
    }),
    controlEndpoint({
      ...common,
      method: "GET",
      path: `${prefix}/files/:id`,
      permission: "batches.read",
      status: 200,
      summary: "One file",
      faults: ["not_found"],
      response: fileResponseSchema,
      handle: async ({ services, caller, params }) =>
        toFileResponse(await services.batching.batches.file(caller, parseFileId(params.id ?? ""))),
    }),
    controlEndpoint({
      ...common,
      method: "GET",
      path: `${prefix}/files/:id/content`,
      permission: "batches.read",
      status: 200,
      summary: "What a file holds",
      description: "JSON lines; of a batch's results, what is done so far. Of a file that messages name: its bytes.",
      faults: ["not_found"],
      alternativeContentTypes: ["application/jsonl", "application/octet-stream"],
      response: z.string(),
      async handle({ services, caller, params }) {
        const id = parseFileId(params.id ?? "");
        const { batches } = services.batching;
        const { purpose } = await batches.file(caller, id);
        const content = await batches.content(caller, id);
        if (isAttachedPurpose(purpose)) return new Reply(200, content, "application/octet-stream");
        return new Reply(200, content.toString("utf8"), "application/jsonl; charset=utf-8");
      },
    }),
    controlEndpoint({
      ...common,
      method: "DELETE",
      path: `${prefix}/files/:id`,
      permission: "batches.use",
      audit: { action: "file.delete" },
      status: 200,
      summary: "Delete a file",
      description: "A batch that has begun goes on without its file. Results are deleted with theirs.",
      faults: ["not_found", "conflict"],
      response: z.object({ id: z.string(), object: z.literal("file"), deleted: z.literal(true) }),
      async handle({ services, caller, params: { id = "" } }) {
        await services.batching.batches.removeFile(caller, parseFileId(id));
        return { id, object: "file", deleted: true };
      },
    }),
  ];
}

const BATCH_FILE_NAME = "batch.jsonl";
const KEPT_FIELD = "expires_after[seconds]";

/** A file as it was uploaded: in a form, or a batch's as the body itself. */
async function readUpload(request: IncomingMessage, limitBytes: number, waitMs: number): Promise<Upload> {
  const contentType = request.headers["content-type"] ?? "";
  if (/^application\/(jsonl|x-jsonlines|x-ndjson|ndjson) *(;|$)/i.test(contentType)) {
    const content = requireContent(await readBytes(request, limitBytes, waitMs));
    return { name: BATCH_FILE_NAME, purpose: "batch", mediaType: "application/jsonl", content };
  }
  const { fields } = await readMultipart(request, limitBytes, waitMs);
  const { purpose } = fields;
  if (purpose !== "batch" && !isAttachedPurpose(purpose))
    throw new Fault("invalid_request", `\`purpose\` must be one of: batch, ${ATTACHED_PURPOSES.join(", ")}.`, {
      param: "purpose",
    });
  return { purpose, ...readUploadedFile(fields, BATCH_FILE_NAME), keptMs: readKeptMs(fields, KEPT_FIELD) };
}
