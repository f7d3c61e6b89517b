import type { ProviderCall } from "@trunkline/core/adapter.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { type Model, upstreamNameOf } from "@trunkline/core/model.ts";
import { toFormFields } from "./answer-form.ts";
import type { Telling } from "./content.ts";
import { toMessages } from "./messages.ts";
import { toParameterFields } from "./parameters.ts";
import type { PassedFields } from "./passed-fields.ts";
import { toToolFields } from "./tools.ts";

/** The body of a chat completion. */
export function toChatBody(
  { model, inference }: Pick<ProviderCall, "model" | "inference">,
  passed: PassedFields,
  streaming: boolean,
  telling: Telling,
): object {
  const { conversation, parameters } = inference;
  const form = toFormFields(conversation.answerForm, telling);
  const messages = toMessages(conversation.messages, telling);
  return {
    ...passed,
    model: upstreamNameOf(model),
    messages: form.message === undefined ? messages : [form.message, ...messages],
    ...toParameterFields(parameters, telling),
    ...toToolFields(conversation, telling),
    response_format: form.response_format,
    service_tier: isAtBatchPrice(model, inference) ? "flex" : undefined,
    stream: streaming ? true : undefined,
    stream_options:
      streaming && !telling.quirks.lacks.has("stream_options") ? { include_usage: true } : undefined,
  };
}

/** A line of a batch was quoted at less where the model says so; the provider takes less only for its slower service. */
function isAtBatchPrice({ batchDiscount = 0 }: Model, { batch }: Inference): boolean {
  return batch !== undefined && batchDiscount > 0;
}
