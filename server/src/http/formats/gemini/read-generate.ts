import type { Conversation } from "@trunkline/core/conversation.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { normaliseTask } from "@trunkline/core/normalise-task.ts";
import { type Fields, invalidField, readObject, readOptional } from "../../requests/fields.ts";
import { readRoutingOptions } from "../../requests/read-wishes.ts";
import { ROUTING_FIELDS } from "../plain-fields.ts";
import { readModel } from "../read-model.ts";
import { readContents, readSystemInstruction } from "./read-contents.ts";
import { readGenerationConfig } from "./read-generation.ts";
import { readToolConfig, readTools } from "./read-tools.ts";
import { toCamelCase } from "./to-camel.ts";

const KNOWN_FIELDS = new Set<string>([
  ...ROUTING_FIELDS,
  "model",
  "contents",
  "systemInstruction",
  "tools",
  "toolConfig",
  "generationConfig",
  "cachedContent",
  "session",
  "continue",
]);

/** Contents to be generated, as Google's clients ask for them. The model stands in the address. */
export function readGenerateContentRequest(body: unknown, modelName: string, streaming: boolean): Inference {
  const fields = toCamelCase(readObject(body, ""));
  const dropped = new Set(
    Object.keys(fields).filter((name) => !KNOWN_FIELDS.has(name) && fields[name] != null),
  );
  if (fields.cachedContent != null) {
    throw invalidField(
      "cachedContent",
      "`cachedContent` is known to Google alone. Send the contents themselves; providers find what they have in their caches.",
    );
  }
  const { model, strategy } = readModel(modelName);
  const routingOptions = readRoutingOptions(fields);
  const { parameters, answerForm } = readGenerationConfig(fields.generationConfig, dropped);
  const conversation = readConversation(fields, dropped);
  return {
    task: normaliseTask("chat"),
    model,
    ...routingOptions,
    strategy: strategy ?? routingOptions.strategy,
    conversation: { ...conversation, ...(answerForm === undefined ? {} : { answerForm }) },
    parameters,
    streaming,
    dropped: [...dropped],
  };
}

/** What a count of tokens is asked for: contents by themselves, or a whole request. */
export function readCountTokensRequest(body: unknown): Pick<Inference, "conversation"> {
  const fields = toCamelCase(readObject(body, ""));
  const whole = readOptional(fields.generateContentRequest, (value) =>
    toCamelCase(readObject(value, "generateContentRequest")),
  );
  return { conversation: readConversation(whole ?? fields, new Set()) };
}

function readConversation(fields: Fields, dropped: Set<string>): Conversation {
  if (fields.contents == null) throw invalidField("contents", "`contents` is required.");
  const instruction =
    readOptional(fields.systemInstruction, (value) => readSystemInstruction(value, dropped)) ?? [];
  const messages = readContents(fields.contents, dropped);
  if (messages.length === 0) throw invalidField("contents", "`contents` must hold at least one part.");
  return {
    messages: [
      ...(instruction.length === 0 ? [] : [{ role: "system", content: instruction } as const]),
      ...messages,
    ],
    ...readToolConfig(fields.toolConfig, readTools(fields.tools, dropped), dropped),
  };
}
