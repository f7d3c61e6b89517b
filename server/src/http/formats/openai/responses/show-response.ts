import type { FinishPart } from "@trunkline/core/answer.ts";
import { toCredits } from "@trunkline/core/money.ts";
import type { Receipt } from "@trunkline/core/receipt.ts";
import type { Fields } from "../../../requests/fields.ts";
import { answeringModelsField } from "../../../responses/models-that-spoke.ts";
import type { ResponseIdentity } from "../identify-answer.ts";
import type { OutputItem, ResponseObject } from "./response-shown.ts";

/** How far an answer has come. */
export interface ResponseState {
  readonly status: ResponseObject["status"];
  readonly output: readonly OutputItem[];
  readonly error?: NonNullable<ResponseObject["error"]>;
  readonly finish?: FinishPart["reason"] | undefined;
  readonly receipt?: Receipt;
}

/** The response at one moment, with what was asked for told back. */
export function toResponseObject(
  identity: ResponseIdentity,
  asked: Fields,
  responseState: ResponseState,
): ResponseObject {
  const { status, output, error, finish, receipt } = responseState;
  return {
    id: identity.id,
    object: "response",
    created_at: identity.created,
    status,
    error: error ?? null,
    incomplete_details:
      status === "incomplete"
        ? { reason: finish === "refused" ? "content_filter" : "max_output_tokens" }
        : null,
    model: identity.model,
    output: [...output],
    usage: receipt === undefined ? null : toResponseUsage(receipt),
    ...(receipt === undefined ? {} : answeringModelsField(receipt)),
    instructions: asked.instructions ?? null,
    max_output_tokens: asked.max_output_tokens ?? null,
    metadata: asked.metadata ?? {},
    parallel_tool_calls: asked.parallel_tool_calls !== false,
    previous_response_id: null,
    reasoning: asked.reasoning ?? { effort: null, summary: null },
    store: false,
    temperature: asked.temperature ?? null,
    text: asked.text ?? { format: { type: "text" } },
    tool_choice: asked.tool_choice ?? "auto",
    tools: Array.isArray(asked.tools) ? asked.tools : [],
    top_logprobs: asked.top_logprobs ?? 0,
    top_p: asked.top_p ?? null,
    truncation: "disabled",
    user: asked.user ?? null,
  };
}

function toResponseUsage(receipt: Receipt): NonNullable<ResponseObject["usage"]> {
  return {
    input_tokens: receipt.inputTokens,
    input_tokens_details: { cached_tokens: receipt.cachedInputTokens },
    output_tokens: receipt.outputTokens,
    output_tokens_details: { reasoning_tokens: receipt.reasoningTokens },
    total_tokens: receipt.inputTokens + receipt.outputTokens,
    cost: toCredits(receipt.cost),
  };
}
