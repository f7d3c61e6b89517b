import type { Caller } from "@trunkline/core/caller.ts";
import { isId } from "@trunkline/core/id.ts";
import { z } from "zod";
import type { Services } from "../../../app/services.ts";
import { ATTACHED_PURPOSES, isAttachedPurpose } from "../../../batches/attached-file.ts";
import { noSuchFile, type StoredFile } from "../../../batches/batches.ts";
import { controlEndpoint, type Endpoint, Reply } from "../../endpoints/endpoint.ts";
import { readMultipart } from "../../requests/read-body.ts";
import { readKeptMs, readUploadedFile } from "../../requests/uploaded-file.ts";
import { ANTHROPIC_FILE_PREFIX, parseFileId } from "../../responses/batch.ts";
import { anthropicDialect } from "./dialect.ts";
import { anthropicListQuery, anthropicListSchema, readListPlace, toAnthropicList } from "./lists.ts";

const FILES_PATH = "/anthropic/v1/files";
const KEPT_FIELD = "expires_in_seconds";
const IDS_MAX = 100;

const common = { dialect: anthropicDialect, tag: "Anthropic", status: 200 } as const;

const fileSchema = z.object({
  id: z.string(),
  type: z.literal("file"),
  filename: z.string(),
  mime_type: z.string(),
  size_bytes: z.number(),
  created_at: z.string(),
  expires_at: z.string(),
  downloadable: z.literal(true),
  scope: z.null(),
});

const uploadFile = controlEndpoint({
  ...common,
  method: "POST",
  path: FILES_PATH,
  permission: "batches.use",
  audit: { action: "file.create", nameOf: (_context, { filename }) => filename },
  summary: "Upload a file that messages name, in Anthropic's form",
  description:
    "A form (`multipart/form-data`) with `file`. It is encrypted, and kept for 30 days, or for `expires_in_seconds` where that is less.",
  faults: ["conflict", "invalid_request", "request_timeout", "payload_too_large", "unsupported_media_type"],
  response: fileSchema,
  async handle({ services, caller, request }) {
    const { attachmentBodyBytes, bodyWaitMs } = services.config.limits;
    const { fields } = await readMultipart(request.raw, attachmentBodyBytes, bodyWaitMs);
    const file = readUploadedFile(fields, "unnamed");
    const keptMs = readKeptMs(fields, KEPT_FIELD);
    return toFile(await services.batching.batches.upload(caller, { ...file, purpose: "user_data", keptMs }));
  },
});

const idsQuery = z
  .union([z.string(), z.array(z.string()).max(IDS_MAX)])
  .optional()
  .describe("Only these files, at most 100, in one page.");

const listFiles = controlEndpoint({
  ...common,
  method: "GET",
  path: FILES_PATH,
  permission: "batches.read",
  summary: "List the account's files that messages can name, the newest first",
  faults: [],
  query: anthropicListQuery(1_000).extend({
    page: z.string().optional().describe("`next_page` of the page before, which newer clients send."),
    "ids[]": idsQuery,
    scope_id: z.string().optional().describe("No file has a scope here, so that nothing is listed."),
  }),
  response: anthropicListSchema(fileSchema).extend({ next_page: z.string().nullable() }),
  async handle({ services, caller, query }) {
    const { limit, page, "ids[]": named, scope_id: scope } = query;
    const ids = named === undefined ? undefined : [named].flat().map(parseFileId).filter(isId);
    const place = page === undefined ? query : { after_id: page, before_id: undefined };
    const filter = { purposes: ATTACHED_PURPOSES, ids, ...readListPlace(place, parseFileId) };
    const wanted = ids === undefined ? limit : IDS_MAX;
    const files = scope === undefined ? await services.batching.batches.files(caller, filter, wanted + 1) : [];
    const list = toAnthropicList(files, { limit: wanted, before_id: place.before_id }, idOf);
    return { ...list, data: list.data.map(toFile), next_page: list.has_more ? list.last_id : null };
  },
});

const getFile = controlEndpoint({
  ...common,
  method: "GET",
  path: `${FILES_PATH}/:id`,
  permission: "batches.read",
  summary: "One file, in Anthropic's form",
  faults: ["not_found"],
  response: fileSchema,
  handle: async ({ services, caller, params }) => toFile(await findFile(services, caller, params.id)),
});

const readContent = controlEndpoint({
  ...common,
  method: "GET",
  path: `${FILES_PATH}/:id/content`,
  permission: "batches.read",
  summary: "The bytes of a file, in Anthropic's form",
  faults: ["not_found"],
  alternativeContentTypes: ["application/octet-stream"],
  response: z.string(),
  async handle({ services, caller, params }) {
    const { id } = await findFile(services, caller, params.id);
    // Never the file's own type: a browser would show a page of someone else's making under this service's address.
    return new Reply(200, await services.batching.batches.content(caller, id), "application/octet-stream");
  },
});

const deleteFile = controlEndpoint({
  ...common,
  method: "DELETE",
  path: `${FILES_PATH}/:id`,
  permission: "batches.use",
  audit: { action: "file.delete" },
  summary: "Delete a file, in Anthropic's form",
  faults: ["not_found"],
  response: z.object({ id: z.string(), type: z.literal("file_deleted") }),
  async handle({ services, caller, params }) {
    const file = await findFile(services, caller, params.id);
    await services.batching.batches.removeFile(caller, file.id);
    return { id: idOf(file), type: "file_deleted" };
  },
});

/** A file that messages can name. The requests and results of batches are no files of this format. */
async function findFile(services: Services, caller: Caller, id = ""): Promise<StoredFile> {
  const file = await services.batching.batches.file(caller, parseFileId(id));
  if (!isAttachedPurpose(file.purpose)) throw noSuchFile();
  return file;
}

function idOf({ id }: StoredFile): string {
  return ANTHROPIC_FILE_PREFIX + id;
}

function toFile(file: StoredFile): z.infer<typeof fileSchema> {
  return {
    id: idOf(file),
    type: "file",
    filename: file.name,
    mime_type: file.mediaType,
    size_bytes: file.bytes,
    created_at: file.createdAt.toISOString(),
    expires_at: file.expiresAt.toISOString(),
    downloadable: true,
    scope: null,
  };
}

export const anthropicFileEndpoints: readonly Endpoint[] = [uploadFile, listFiles, getFile, readContent, deleteFile];
