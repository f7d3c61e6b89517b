import type { Conversation } from "@trunkline/core/conversation.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { normaliseTask } from "@trunkline/core/normalise-task.ts";
import { type Fields, invalid, readObject, readOptional } from "../../requests/fields.ts";
import { readWishes } from "../../requests/read-wishes.ts";
import { WISH_FIELDS } from "../plain-fields.ts";
import { readModel } from "../read-model.ts";
import { readContents, readInstruction } from "./read-contents.ts";
import { readGeneration } from "./read-generation.ts";
import { readToolConfig, readTools } from "./read-tools.ts";
import { toCamel } from "./to-camel.ts";

const KNOWN = new Set<string>([
  ...WISH_FIELDS,
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
export function readGenerate(body: unknown, modelName: string, streaming: boolean): Inference {
  const fields = toCamel(readObject(body, ""));
  const dropped = new Set(Object.keys(fields).filter((name) => !KNOWN.has(name) && fields[name] != null));
  if (fields.cachedContent != null) {
    throw invalid(
      "cachedContent",
      "`cachedContent` is known to Google alone. Send the contents themselves; providers find what they have in their caches.",
    );
  }
  const { model, strategy } = readModel(modelName);
  const wishes = readWishes(fields);
  const { parameters, answerForm } = readGeneration(fields.generationConfig, dropped);
  const conversation = readConversation(fields, dropped);
  return {
    task: normaliseTask("chat"),
    model,
    ...wishes,
    strategy: strategy ?? wishes.strategy,
    conversation: { ...conversation, ...(answerForm === undefined ? {} : { answerForm }) },
    parameters,
    streaming,
    dropped: [...dropped],
  };
}

/** What a count of tokens is asked for: contents by themselves, or a whole request. */
export function readCounted(body: unknown): Pick<Inference, "conversation"> {
  const fields = toCamel(readObject(body, ""));
  const whole = readOptional(fields.generateContentRequest, (value) =>
    toCamel(readObject(value, "generateContentRequest")),
  );
  return { conversation: readConversation(whole ?? fields, new Set()) };
}

function readConversation(fields: Fields, dropped: Set<string>): Conversation {
  if (fields.contents == null) throw invalid("contents", "`contents` is required.");
  const instruction =
    readOptional(fields.systemInstruction, (value) => readInstruction(value, dropped)) ?? [];
  const messages = readContents(fields.contents, dropped);
  if (messages.length === 0) throw invalid("contents", "`contents` must hold at least one part.");
  return {
    messages: [
      ...(instruction.length === 0 ? [] : [{ role: "system", content: instruction } as const]),
      ...messages,
    ],
    ...readToolConfig(fields.toolConfig, readTools(fields.tools, dropped), dropped),
  };
}
