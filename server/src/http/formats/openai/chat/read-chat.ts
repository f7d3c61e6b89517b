import { attachmentsOf, type Conversation, textOf } from "@trunkline/core/conversation.ts";
import { type Inference, type Parameters, REASONING_EFFORTS } from "@trunkline/core/inference.ts";
import { normaliseTask } from "@trunkline/core/normalise-task.ts";
import {
  type Fields,
  invalidField,
  readBoolean,
  readChoice,
  readInteger,
  readObject,
  readOptional,
} from "../../../requests/fields.ts";
import { ATTACHMENTS_MAX } from "../../../requests/read-inference.ts";
import { readRoutingOptions } from "../../../requests/read-wishes.ts";
import { ROUTING_FIELDS } from "../../plain-fields.ts";
import { readModel } from "../../read-model.ts";
import { CHAT_EXTRAS } from "../read-extras.ts";
import { readMaxTokens, readSampling, readStreaming, SAMPLING_FIELDS } from "../read-sampling.ts";
import { sessionOf } from "../session-of.ts";
import { type FieldRules, partitionFields } from "../sort-fields.ts";
import { readResponseFormat } from "./read-answer-form.ts";
import { readMessages } from "./read-messages.ts";
import { readTools } from "./tools.ts";

/** The most words of all messages together, in characters. */
const TEXT_LENGTH_MAX = 1_000_000;
const TOP_LOGPROBS_MAX = 20;

const RULES: FieldRules = {
  understood: new Set([
    ...SAMPLING_FIELDS,
    "model",
    "messages",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "functions",
    "function_call",
    "response_format",
    "max_completion_tokens",
    "logprobs",
    "top_logprobs",
    "reasoning_effort",
    "stream",
    "stream_options",
    ...ROUTING_FIELDS,
  ]),
  extras: CHAT_EXTRAS,
  harmless: {
    modalities: (value) => Array.isArray(value) && value.every((modality) => modality === "text"),
    service_tier: (value) => value === "auto" || value === "default",
  },
};

/** What a body of `chat/completions` asks for, or the first wrong field by name. */
export function readChat(body: unknown): Inference {
  const fields = readObject(body, "");
  const { model, strategy } = readModel(fields.model);
  const { messages, dropped } = readMessages(fields.messages);
  const answerForm = readOptional(fields.response_format, readResponseFormat);
  const conversation: Conversation = {
    messages,
    ...readTools(fields),
    ...(answerForm === undefined ? {} : { answerForm }),
  };
  checkConversationSize(conversation);
  const routingOptions = readRoutingOptions(fields);
  const sorted = partitionFields(fields, RULES);
  return {
    task: normaliseTask("chat"),
    conversation,
    model,
    ...routingOptions,
    strategy: strategy ?? routingOptions.strategy,
    parameters: readParameters(fields),
    streaming: readStreaming(fields),
    ...sorted,
    ...sessionOf(routingOptions, sorted),
    dropped: [...dropped, ...(sorted.dropped ?? [])],
  };
}

function readParameters(fields: Fields): Parameters {
  const samplingParameters = readSampling(fields);
  return {
    ...samplingParameters,
    maxTokens:
      readMaxTokens(fields.max_completion_tokens, "max_completion_tokens") ?? samplingParameters.maxTokens,
    logprobs: readLogprobs(fields),
    thinking: readOptional(fields.reasoning_effort, (value) => ({
      effort: value === "max" ? "xhigh" : readChoice(value, "reasoning_effort", REASONING_EFFORTS),
    })),
  };
}

function readLogprobs(fields: Fields): number | undefined {
  const isWanted = readOptional(fields.logprobs, (value) => readBoolean(value, "logprobs")) ?? false;
  const alternatives = readOptional(fields.top_logprobs, (value) =>
    readInteger(value, "top_logprobs", 0, TOP_LOGPROBS_MAX),
  );
  if (alternatives !== undefined && alternatives > 0 && !isWanted)
    throw invalidField("top_logprobs", "`top_logprobs` needs `logprobs` to be true.");
  return isWanted ? (alternatives ?? 0) : undefined;
}

function checkConversationSize(conversation: Conversation): void {
  if (attachmentsOf(conversation).length > ATTACHMENTS_MAX)
    throw invalidField(
      "messages",
      `\`messages\` may hold at most ${ATTACHMENTS_MAX} images, sounds and files.`,
    );
  const words = textOf(conversation);
  if (words === "" && attachmentsOf(conversation).length === 0)
    throw invalidField("messages", "`messages` must say something.");
  if (words.length > TEXT_LENGTH_MAX) {
    throw invalidField(
      "messages",
      `\`messages\` may have at most ${TEXT_LENGTH_MAX.toLocaleString("en")} characters of text.`,
    );
  }
}
