import type { ProviderCall } from "@trunkline/core/adapter.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { type Model, upstreamNameOf } from "@trunkline/core/model.ts";
import { toResponseFormatFields } from "./answer-form.ts";
import type { ConversionContext } from "./content.ts";
import { toMessages } from "./messages.ts";
import { toParameterFields } from "./parameters.ts";
import type { PassthroughFields } from "./passed-fields.ts";
import { toToolFields } from "./tools.ts";

/** The body of a chat completion. */
export function toChatBody(
  { model, inference }: Pick<ProviderCall, "model" | "inference">,
  passed: PassthroughFields,
  streaming: boolean,
  conversionContext: ConversionContext,
): object {
  const { conversation, parameters } = inference;
  const form = toResponseFormatFields(conversation.answerForm, conversionContext);
  const messages = toMessages(conversation.messages, conversionContext);
  return {
    ...passed,
    model: upstreamNameOf(model),
    messages: form.message === undefined ? messages : [form.message, ...messages],
    ...toParameterFields(parameters, conversionContext),
    ...toToolFields(conversation, conversionContext),
    response_format: form.response_format,
    service_tier: hasBatchPrice(model, inference) ? "flex" : undefined,
    stream: streaming ? true : undefined,
    stream_options:
      streaming && !conversionContext.quirks.unsupported.has("stream_options")
        ? { include_usage: true }
        : undefined,
  };
}

/** A line of a batch was quoted at less where the model says so; the provider takes less only for its slower service. */
function hasBatchPrice({ batchDiscount = 0 }: Model, { batch }: Inference): boolean {
  return batch !== undefined && batchDiscount > 0;
}
