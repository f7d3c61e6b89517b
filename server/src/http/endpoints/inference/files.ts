import { z } from "zod";
import { FILE_PURPOSES } from "../../../batches/batch.ts";
import type { Dialect } from "../../formats/dialect.ts";
import { fileIdOf, fileShown, fileToWire } from "../../responses/batch.ts";
import { openAiList, openAiListOf, openAiListQuery } from "../../responses/openai-list.ts";
import { control, type Endpoint, Reply } from "../endpoint.ts";
import { readUpload } from "./read-upload.ts";

/** The operations on files, as OpenAI's libraries know them, under the prefix of a wire format. */
export function fileEndpoints(prefix: string, dialect: Dialect): readonly Endpoint[] {
  const common = { tag: "Batches", dialect } as const;
  return [
    control({
      ...common,
      method: "POST",
      path: `${prefix}/files`,
      power: "batches.use",
      deed: { action: "file.create", nameOf: (_visit, { filename }) => filename },
      status: 200,
      summary: "Upload a file of requests",
      description:
        "A form (`multipart/form-data`) with `purpose=batch` and `file`, or the JSON lines themselves as `application/jsonl`.",
      faults: ["conflict"],
      answer: fileShown,
      async handle({ house, caller, request }) {
        const { attachmentBodyBytes, bodyWaitMs } = house.config.limits;
        const { name, content } = await readUpload(request.raw, attachmentBodyBytes, bodyWaitMs);
        return fileToWire(await house.batches.upload(caller, name, content));
      },
    }),
    control({
      ...common,
      method: "GET",
      path: `${prefix}/files`,
      power: "batches.read",
      status: 200,
      summary: "List the account's files",
      faults: [],
      query: openAiListQuery(1_000, 100).extend({
        purpose: z.enum(FILE_PURPOSES).optional(),
        order: z.enum(["desc"]).optional().describe("Newest first, always."),
      }),
      answer: openAiListOf(fileShown),
      async handle({ house, caller, query: { limit, after, purpose } }) {
        const cursor = after === undefined ? undefined : fileIdOf(after);
        const files = await house.batches.files(caller, purpose, limit + 1, cursor);
        return openAiList(files.map(fileToWire), limit);
      },
    }),
    control({
      ...common,
      method: "GET",
      path: `${prefix}/files/:id`,
      power: "batches.read",
      status: 200,
      summary: "One file",
      faults: ["not_found"],
      answer: fileShown,
      handle: async ({ house, caller, params }) =>
        fileToWire(await house.batches.file(caller, fileIdOf(params.id ?? ""))),
    }),
    control({
      ...common,
      method: "GET",
      path: `${prefix}/files/:id/content`,
      power: "batches.read",
      status: 200,
      summary: "What a file holds",
      description: "JSON lines. Of a batch's results: what is done so far.",
      faults: ["not_found"],
      alternatives: ["application/jsonl"],
      answer: z.string(),
      async handle({ house, caller, params }) {
        const content = await house.batches.content(caller, fileIdOf(params.id ?? ""));
        return new Reply(200, content.toString("utf8"), "application/jsonl; charset=utf-8");
      },
    }),
    control({
      ...common,
      method: "DELETE",
      path: `${prefix}/files/:id`,
      power: "batches.use",
      deed: { action: "file.delete" },
      status: 200,
      summary: "Delete a file",
      description: "A batch that has begun goes on without its file. Results are deleted with theirs.",
      faults: ["not_found", "conflict"],
      answer: z.object({ id: z.string(), object: z.literal("file"), deleted: z.literal(true) }),
      async handle({ house, caller, params: { id = "" } }) {
        await house.batches.removeFile(caller, fileIdOf(id));
        return { id, object: "file", deleted: true };
      },
    }),
  ];
}
