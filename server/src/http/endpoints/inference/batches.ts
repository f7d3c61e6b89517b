import { Fault } from "@trunkline/core/fault.ts";
import type { Dialect } from "../../formats/dialect.ts";
import {
  batchResponseSchema,
  createBatchSchema,
  parseBatchId,
  parseFileId,
  toBatchResponse,
} from "../../responses/batch.ts";
import { openAiListQuery, openAiListSchema, toOpenAiList } from "../../responses/openai-list.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";
import type { BatchTargets } from "./batch-targets.ts";

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
        const batch = await services.batches.create(caller, request.ip, {
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
        const cursor = after === undefined ? undefined : parseBatchId(after);
        const batches = await services.batches.list(caller, limit + 1, cursor);
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
        toBatchResponse(await services.batches.find(caller, parseBatchId(params.id ?? ""))),
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
        toBatchResponse(await services.batches.cancel(caller, parseBatchId(params.id ?? ""))),
    }),
  ];
}

/** A batch is named by what it can be sent to. */
function unknownEndpointFault(names: readonly string[]): Fault {
  return new Fault("invalid_request", `\`endpoint\` must be one of: ${names.join(", ")}.`, {
    param: "endpoint",
  });
}
