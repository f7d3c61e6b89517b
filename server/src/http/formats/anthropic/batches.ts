import type { Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { z } from "zod";
import type { Services } from "../../../app/services.ts";
import type { Batch } from "../../../batches/batches.ts";
import { LINES_MAX } from "../../../batches/read-batch-file.ts";
import { controlEndpoint, type Endpoint, Reply } from "../../endpoints/endpoint.ts";
import { anthropicDialect, anthropicErrorSchema } from "./dialect.ts";
import { anthropicListQuery, anthropicListSchema, readListPlace, toAnthropicList } from "./lists.ts";

const MESSAGES_PATH = "/anthropic/v1/messages";
const BATCHES_PATH = `${MESSAGES_PATH}/batches`;
const ID_PREFIX = "msgbatch_";

const common = { dialect: anthropicDialect, tag: "Anthropic", status: 200 } as const;

const createBody = z.object({
  requests: z
    .array(
      z.object({
        custom_id: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, _ and -"),
        params: z.looseObject({}).describe("A body of POST /anthropic/v1/messages."),
      }),
    )
    .min(1)
    .max(LINES_MAX),
});

const timeSchema = z.string().nullable();

const messageBatchSchema = z.object({
  id: z.string(),
  type: z.literal("message_batch"),
  processing_status: z.enum(["in_progress", "canceling", "ended"]),
  request_counts: z.object({
    processing: z.number(),
    succeeded: z.number(),
    errored: z.number(),
    canceled: z.number(),
    expired: z.number(),
  }),
  created_at: z.string(),
  expires_at: z.string(),
  ended_at: timeSchema,
  cancel_initiated_at: timeSchema,
  archived_at: z.null(),
  results_url: z.string().nullable().describe("null until the batch has ended."),
});

const createBatch = controlEndpoint({
  ...common,
  method: "POST",
  path: BATCHES_PATH,
  permission: "batches.use",
  audit: { action: "batch.create" },
  summary: "Run many requests, in Anthropic's form",
  description:
    "Each request goes down the same line as one of its own, in the name of the key that made the batch, within 24 hours.",
  faults: ["conflict"],
  allowsLargeBody: true,
  body: createBody,
  response: messageBatchSchema,
  async handle({ services, caller, body: { requests }, request }) {
    const ids = new Set(requests.map(({ custom_id: id }) => id));
    if (ids.size < requests.length)
      throw new Fault("invalid_request", "Each `custom_id` must be another one.", { param: "requests" });
    const lines = requests.map(({ custom_id, params }) =>
      JSON.stringify({ custom_id, method: "POST", url: MESSAGES_PATH, body: params }),
    );
    const { batches } = services.batching;
    const file = await batches.upload(caller, {
      name: "message-batch.jsonl",
      purpose: "batch",
      mediaType: "application/jsonl",
      content: Buffer.from(lines.join("\n")),
    });
    const batch = await batches.create(caller, request.ip, {
      inputFileId: file.id,
      endpoint: MESSAGES_PATH,
      metadata: undefined,
    });
    // Its lines are counted once they are validated.
    return toMessageBatch(services, caller, { ...batch, total: requests.length });
  },
});

const listBatches = controlEndpoint({
  ...common,
  method: "GET",
  path: BATCHES_PATH,
  permission: "batches.read",
  summary: "List the account's batches of messages, the newest first",
  faults: [],
  query: anthropicListQuery(100),
  response: anthropicListSchema(messageBatchSchema),
  async handle({ services, caller, query }) {
    const filter = { endpoint: MESSAGES_PATH, ...readListPlace(query, stripPrefix) };
    const batches = await services.batching.batches.list(caller, filter, query.limit + 1);
    const { data, ...place } = toAnthropicList(batches, query, ({ id }) => ID_PREFIX + id);
    const shown = [];
    for (const batch of data) shown.push(await toMessageBatch(services, caller, batch));
    return { data: shown, ...place };
  },
});

const getBatch = controlEndpoint({
  ...common,
  method: "GET",
  path: `${BATCHES_PATH}/:id`,
  permission: "batches.read",
  summary: "One batch of messages and how far it is",
  faults: ["not_found"],
  response: messageBatchSchema,
  handle: async ({ services, caller, params }) =>
    toMessageBatch(services, caller, await findBatch(services, caller, params.id)),
});

const cancelBatch = controlEndpoint({
  ...common,
  method: "POST",
  path: `${BATCHES_PATH}/:id/cancel`,
  permission: "batches.use",
  audit: { action: "batch.cancel" },
  summary: "Cancel a batch of messages",
  description: "What runs is finished, and what is done can be read; the rest is not begun.",
  faults: ["not_found", "conflict"],
  response: messageBatchSchema,
  async handle({ services, caller, params }) {
    const { id } = await findBatch(services, caller, params.id);
    return toMessageBatch(services, caller, await services.batching.batches.cancel(caller, id));
  },
});

const resultSchema = z.object({
  custom_id: z.string(),
  result: z.union([
    z.object({ type: z.literal("succeeded"), message: z.unknown() }),
    z.object({ type: z.literal("errored"), error: anthropicErrorSchema }),
    z.object({ type: z.enum(["canceled", "expired"]) }),
  ]),
});

const readResults = controlEndpoint({
  ...common,
  method: "GET",
  path: `${BATCHES_PATH}/:id/results`,
  permission: "batches.read",
  summary: "The results of a batch of messages",
  description: "JSON lines, in any order, once the batch has ended.",
  faults: ["not_found", "conflict"],
  alternativeContentTypes: ["application/x-jsonl"],
  response: resultSchema,
  async handle({ services, caller, params }) {
    const batch = await findBatch(services, caller, params.id);
    if (statusOf(batch) !== "ended")
      throw new Fault("conflict", "This batch has not ended yet. Its results can be read once it has.");
    const lines = await readLines(services, caller, batch);
    const text = lines.map((line) => `${JSON.stringify(toResult(line))}\n`).join("");
    return new Reply(200, text, "application/x-jsonl; charset=utf-8");
  },
});

export const anthropicBatchEndpoints: readonly Endpoint[] = [
  createBatch,
  listBatches,
  getBatch,
  cancelBatch,
  readResults,
];

async function findBatch(services: Services, caller: Caller, id = ""): Promise<Batch> {
  const batch = await services.batching.batches.find(caller, stripPrefix(id));
  if (batch.endpoint !== MESSAGES_PATH) throw new Fault("not_found", "There is no such batch of messages.");
  return batch;
}

function stripPrefix(id: string): string {
  return id.startsWith(ID_PREFIX) ? id.slice(ID_PREFIX.length) : "";
}

/** One line of a batch's results, as the batch worker writes it. */
const lineSchema = z.object({
  custom_id: z.string(),
  response: z.object({ status_code: z.number(), body: z.unknown() }).nullish(),
  error: z.object({ code: z.string(), message: z.string() }).nullish(),
});
type ResultLine = z.infer<typeof lineSchema>;

async function readLines(services: Services, caller: Caller, batch: Batch): Promise<ResultLine[]> {
  const { batches } = services.batching;
  const files = [
    ...(batch.completed === 0 ? [] : [batch.outputFileId]),
    ...(batch.failed === 0 ? [] : [batch.errorFileId]),
  ];
  const contents = await Promise.all(files.map((id) => batches.content(caller, id)));
  return contents.flatMap((content) =>
    content
      .toString("utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => lineSchema.parse(JSON.parse(line))),
  );
}

function toResult({ custom_id, response, error }: ResultLine): unknown {
  if (response?.status_code === 200) return { custom_id, result: { type: "succeeded", message: response.body } };
  if (response != null) return { custom_id, result: { type: "errored", error: response.body } };
  const code = error?.code;
  if (code === "batch_cancelled") return { custom_id, result: { type: "canceled" } };
  if (code === "batch_expired") return { custom_id, result: { type: "expired" } };
  const fault = new Fault("invalid_request", error?.message ?? "This request was not run.");
  return { custom_id, result: { type: "errored", error: anthropicDialect.errorBody(fault, "") } };
}

function statusOf({ status }: Batch): z.infer<typeof messageBatchSchema>["processing_status"] {
  switch (status) {
    case "completed":
    case "failed":
    case "expired":
    case "cancelled":
      return "ended";
    case "cancelling":
      return "canceling";
    default:
      return "in_progress";
  }
}

async function toMessageBatch(
  services: Services,
  caller: Caller,
  batch: Batch,
): Promise<z.infer<typeof messageBatchSchema>> {
  const { total, completed, failed, times, status } = batch;
  const processing_status = statusOf(batch);
  const hasUnrun = failed > 0 && (status === "cancelled" || status === "expired");
  const lines = hasUnrun ? await readLines(services, caller, batch) : [];
  const countOf = (code: string) => lines.filter(({ error }) => error?.code === code).length;
  const [canceled, expired] = [countOf("batch_cancelled"), countOf("batch_expired")];
  const id = ID_PREFIX + batch.id;
  const endedAt = times.completed ?? times.failed ?? times.expired ?? times.cancelled;
  // Without a known address, libraries put their own before the path.
  const { publicUrl } = services.config;
  const origin = publicUrl === undefined ? "" : `${publicUrl.replace(/\/+$/, "")}/anthropic`;
  return {
    id,
    type: "message_batch",
    processing_status,
    request_counts: {
      processing: processing_status === "ended" ? 0 : total - completed - failed,
      succeeded: completed,
      errored: failed - canceled - expired,
      canceled,
      expired,
    },
    created_at: batch.createdAt.toISOString(),
    expires_at: batch.expiresAt.toISOString(),
    ended_at: endedAt?.toISOString() ?? null,
    cancel_initiated_at: times.cancelling?.toISOString() ?? null,
    archived_at: null,
    results_url: processing_status === "ended" ? `${origin}/v1/messages/batches/${id}/results` : null,
  };
}
