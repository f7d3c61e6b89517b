import { Fault } from "@trunkline/core/fault.ts";
import type { Dialect } from "../../formats/dialect.ts";
import { batchDraft, batchIdOf, batchShown, batchToWire, fileIdOf } from "../../responses/batch.ts";
import { openAiList, openAiListOf, openAiListQuery } from "../../responses/openai-list.ts";
import { control, type Endpoint } from "../endpoint.ts";
import type { BatchTargets } from "./batch-targets.ts";

/** The operations on batches, as OpenAI's libraries know them, under the prefix of a wire format. */
export function batchEndpoints(prefix: string, dialect: Dialect, targets: BatchTargets): readonly Endpoint[] {
  const common = { tag: "Batches", dialect } as const;
  return [
    control({
      ...common,
      method: "POST",
      path: `${prefix}/batches`,
      power: "batches.use",
      deed: { action: "batch.create" },
      status: 200,
      summary: "Run a file of requests",
      description:
        "Every line goes down the same line as a request of its own, in the name of the key that made the batch: its limits, budget and balance hold for each. What lacks money or rate is tried again until the window ends.",
      faults: ["conflict"],
      body: batchDraft,
      answer: batchShown,
      async handle({ house, caller, body, request }) {
        if (targets.find(body.endpoint) === undefined) throw unknownEndpoint(targets.names());
        const batch = await house.batches.create(caller, request.ip, {
          inputFileId: fileIdOf(body.input_file_id),
          endpoint: body.endpoint,
          metadata: body.metadata ?? undefined,
        });
        return batchToWire(batch);
      },
    }),
    control({
      ...common,
      method: "GET",
      path: `${prefix}/batches`,
      power: "batches.read",
      status: 200,
      summary: "List the account's batches",
      faults: [],
      query: openAiListQuery(100, 20),
      answer: openAiListOf(batchShown),
      async handle({ house, caller, query: { limit, after } }) {
        const cursor = after === undefined ? undefined : batchIdOf(after);
        const batches = await house.batches.list(caller, limit + 1, cursor);
        return openAiList(batches.map(batchToWire), limit);
      },
    }),
    control({
      ...common,
      method: "GET",
      path: `${prefix}/batches/:id`,
      power: "batches.read",
      status: 200,
      summary: "One batch and how far it is",
      faults: ["not_found"],
      answer: batchShown,
      handle: async ({ house, caller, params }) =>
        batchToWire(await house.batches.find(caller, batchIdOf(params.id ?? ""))),
    }),
    control({
      ...common,
      method: "POST",
      path: `${prefix}/batches/:id/cancel`,
      power: "batches.use",
      deed: { action: "batch.cancel" },
      status: 200,
      summary: "Cancel a batch",
      description: "What runs is finished, and what is done can be read; the rest is not begun.",
      faults: ["not_found", "conflict"],
      answer: batchShown,
      handle: async ({ house, caller, params }) =>
        batchToWire(await house.batches.cancel(caller, batchIdOf(params.id ?? ""))),
    }),
  ];
}

/** A batch is named by what it can be sent to. */
function unknownEndpoint(names: readonly string[]): Fault {
  return new Fault("invalid_request", `\`endpoint\` must be one of: ${names.join(", ")}.`, {
    param: "endpoint",
  });
}
