import { conversationOf } from "@trunkline/core/conversation.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { normaliseTask } from "@trunkline/core/normalise-task.ts";
import { invalidField, readInteger, readObject, readOptional, readString } from "../../requests/fields.ts";
import { INPUT_MAX } from "../../requests/read-inference.ts";
import { readRoutingOptions } from "../../requests/read-wishes.ts";
import { ROUTING_FIELDS } from "../plain-fields.ts";
import { readModel } from "../read-model.ts";
import { COMPLETION_EXTRAS } from "./read-extras.ts";
import { readSampling, readStreaming, SAMPLING_FIELDS } from "./read-sampling.ts";
import { type FieldRules, partitionFields } from "./sort-fields.ts";

const LOGPROBS_MAX = 5;

const RULES: FieldRules = {
  understood: new Set([
    ...SAMPLING_FIELDS,
    "model",
    "prompt",
    "logprobs",
    "stream",
    "stream_options",
    ...ROUTING_FIELDS,
  ]),
  extras: COMPLETION_EXTRAS,
  harmless: {
    echo: (value) => value === false,
    suffix: (value) => value === "",
    best_of: (value) => value === 1,
  },
};

/** What a body of the old `completions` asks for: one prompt is one message of a user. */
export function readCompletion(body: unknown): Inference {
  const fields = readObject(body, "");
  const { model, strategy } = readModel(fields.model);
  const routingOptions = readRoutingOptions(fields);
  return {
    task: normaliseTask("text"),
    conversation: conversationOf(readPrompt(fields.prompt)),
    model,
    ...routingOptions,
    strategy: strategy ?? routingOptions.strategy,
    parameters: {
      ...readSampling(fields),
      logprobs: readOptional(fields.logprobs, (value) => readInteger(value, "logprobs", 0, LOGPROBS_MAX)),
    },
    streaming: readStreaming(fields),
    ...partitionFields(fields, RULES),
  };
}

function readPrompt(value: unknown): string {
  if (!Array.isArray(value)) return readString(value, "prompt", 1, INPUT_MAX);
  const [only] = value;
  if (typeof only === "number" || Array.isArray(only))
    throw invalidField("prompt", "`prompt` must be text: every model here counts its tokens differently.");
  if (value.length !== 1)
    throw invalidField("prompt", "`prompt` must hold one text. Send several prompts as several requests.");
  return readString(only, "prompt[0]", 1, INPUT_MAX);
}
