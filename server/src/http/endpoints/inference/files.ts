import { z } from "zod";
import { FILE_PURPOSES } from "../../../batches/batch.ts";
import type { Dialect } from "../../formats/dialect.ts";
import { fileResponseSchema, parseFileId, toFileResponse } from "../../responses/batch.ts";
import { openAiListQuery, openAiListSchema, toOpenAiList } from "../../responses/openai-list.ts";
import { controlEndpoint, type Endpoint, Reply } from "../endpoint.ts";
import { readUpload } from "./read-upload.ts";

/** The operations on files, as OpenAI's libraries know them, under the prefix of a wire format. */
export function fileEndpoints(prefix: string, dialect: Dialect): readonly Endpoint[] {
  const common = { tag: "Batches", dialect } as const;
  return [
    controlEndpoint({
      ...common,
      method: "POST",
      path: `${prefix}/files`,
      permission: "batches.use",
      audit: { action: "file.create", nameOf: (_visit, { filename }) => filename },
      status: 200,
      summary: "Upload a file of requests",
      description:
        "A form (`multipart/form-data`) with `purpose=batch` and `file`, or the JSON lines themselves as `application/jsonl`.",
      faults: ["conflict"],
      response: fileResponseSchema,
      async handle({ services, caller, request }) {
        const { attachmentBodyBytes, bodyWaitMs } = services.config.limits;
        const { name, content } = await readUpload(request.raw, attachmentBodyBytes, bodyWaitMs);
        return toFileResponse(await services.batches.upload(caller, name, content));
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
        const cursor = after === undefined ? undefined : parseFileId(after);
        const files = await services.batches.files(caller, purpose, limit + 1, cursor);
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
        toFileResponse(await services.batches.file(caller, parseFileId(params.id ?? ""))),
    }),
    controlEndpoint({
      ...common,
      method: "GET",
      path: `${prefix}/files/:id/content`,
      permission: "batches.read",
      status: 200,
      summary: "What a file holds",
      description: "JSON lines. Of a batch's results: what is done so far.",
      faults: ["not_found"],
      alternativeContentTypes: ["application/jsonl"],
      response: z.string(),
      async handle({ services, caller, params }) {
        const content = await services.batches.content(caller, parseFileId(params.id ?? ""));
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
        await services.batches.removeFile(caller, parseFileId(id));
        return { id, object: "file", deleted: true };
      },
    }),
  ];
}
