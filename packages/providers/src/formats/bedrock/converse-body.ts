import type { ProviderCall } from "@trunkline/core/adapter.ts";
import type { AnswerForm } from "@trunkline/core/conversation.ts";
import { upstreamNameOf } from "@trunkline/core/model.ts";
import type { JsonObject } from "../../http/json-frames.ts";
import { toResponseFormatFields } from "../anthropic/answer-form.ts";
import { type ClaudeCapabilities, claudeCapabilitiesOf } from "../anthropic/capabilities.ts";
import { toStrictSchema } from "../anthropic/close-schema.ts";
import { reportUnsupportedParameters, toSamplingFields } from "../anthropic/sampling.ts";
import { toThinkingFields } from "../anthropic/thinking.ts";
import { isToolCallForced } from "../anthropic/tools.ts";
import { toTurns } from "../anthropic/turns.ts";
import { ContentBlockWriter } from "./content-blocks.ts";
import { toToolConfig } from "./tools.ts";

/** The longest answer where neither the client nor the model sets a limit: the same that is quoted. */
const DEFAULT_MAX_TOKENS = 4_096;
/** Makers besides Anthropic whose models can be held to a schema. */
const STRUCTURED_OUTPUT_VENDORS =
  /(?:^|\.)(?:qwen|openai|deepseek\.v|google|minimax|moonshot|moonshotai|nvidia)\b/;

/** What is asked, as the Converse API takes it. What is undefined disappears in the JSON. */
export function toConverseBody(call: Omit<ProviderCall, "signal">): JsonObject {
  const { model, inference } = call;
  const { conversation, parameters } = inference;
  const drop = (field: string) => call.onUnsupported?.(field);
  const name = upstreamNameOf(model);
  const isClaude = /claude/i.test(name);
  const traits = capabilitiesOf(name, isClaude);
  const maxTokens = parameters.maxTokens ?? model.maxOutputTokens ?? DEFAULT_MAX_TOKENS;
  const forced = isToolCallForced(conversation);
  const { thinking, effort } = toThinkingFields(
    { thinking: parameters.thinking, maxTokens, forced },
    traits,
    drop,
  );
  const thinks = thinking !== undefined && thinking.type !== "disabled";
  const sampling = toSamplingFields(parameters, traits, thinks, drop);
  if (sampling.top_k !== undefined && !isClaude) drop("top_k");
  const { format, instruction } = toResponseFormatFields(
    conversation.answerForm,
    traits.structuredOutput,
    drop,
  );
  reportUnsupportedParameters(parameters, drop);
  for (const field of Object.keys(inference.extras?.fields ?? {})) drop(field);
  const writer = new ContentBlockWriter(drop);
  const { instructions, turns } = toTurns(conversation.messages, false);
  const system = [
    ...writer.write(instructions),
    ...(instruction === undefined ? [] : [{ text: instruction }]),
  ];
  const own = {
    top_k: isClaude ? sampling.top_k : undefined,
    thinking,
    output_config: effort === undefined ? undefined : { effort },
  };
  return {
    messages: turns
      .map(({ role, content }) => ({ role, content: writer.write(content) }))
      // Of a turn that was nothing but another model's thoughts there is nothing left.
      .filter(({ content }) => content.length > 0),
    system: system.length === 0 ? undefined : system,
    inferenceConfig: {
      maxTokens,
      temperature: sampling.temperature,
      topP: sampling.top_p,
      stopSequences: parameters.stop,
    },
    toolConfig: toToolConfig(conversation, traits, drop),
    outputConfig: format === undefined ? undefined : toOutputConfig(conversation.answerForm),
    additionalModelRequestFields: Object.values(own).some((value) => value !== undefined) ? own : undefined,
    // Which of the client's words ended the answer is told only where it is asked for.
    additionalModelResponseFieldPaths:
      isClaude && parameters.stop !== undefined ? ["/stop_sequence"] : undefined,
  };
}

/** Claude takes here what it takes at home; of others it is known only whether they can be held to a schema. */
function capabilitiesOf(name: string, isClaude: boolean): ClaudeCapabilities {
  const traits = claudeCapabilitiesOf(name);
  if (isClaude) return { ...traits, systemMessages: false };
  return { ...traits, thinking: "never", structuredOutput: STRUCTURED_OUTPUT_VENDORS.test(name) };
}

function toOutputConfig(form: AnswerForm | undefined): JsonObject | undefined {
  if (form?.type !== "schema") return undefined;
  const { name, description, schema } = form;
  const jsonSchema = { name, description, schema: JSON.stringify(toStrictSchema(schema)) };
  return { textFormat: { type: "json_schema", structure: { jsonSchema } } };
}
