import type { ProviderCall } from "@trunkline/core/adapter.ts";
import type { AnswerForm, Conversation, Tool } from "@trunkline/core/conversation.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import { isObject } from "../../http/json-object.ts";
import { extrasFor, type WireRequest } from "../../http/wire-format.ts";
import { toContents, toSystemInstruction } from "./contents.ts";
import { toEmbeddingsRequest } from "./embeddings.ts";
import { geminiCredentialHeader, modelIdOf, operationUrl, supportsJsonSchema } from "./endpoint.ts";
import { hasThinkingLevels, toGenerationConfig } from "./generation-config.ts";
import { toGeminiSchema } from "./schema.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What is sent to Gemini. */
export function toGeminiRequest(call: ProviderCall, credential: Secret | undefined): WireRequest {
  const { model, inference, requestId } = call;
  const headers = {
    "content-type": "application/json",
    ...geminiCredentialHeader(model, credential),
    "x-request-id": requestId,
  };
  reportUnsupported(call);
  if (model.type === "embedding") return { ...toEmbeddingsRequest(call), headers };
  const streaming = inference.streaming && model.streaming && model.type !== "image";
  return {
    url: operationUrl(model, streaming ? "streamGenerateContent" : "generateContent"),
    headers,
    streaming,
    body: JSON.stringify(toBody(call)),
  };
}

function toBody(call: ProviderCall): Fields {
  const { model, inference } = call;
  const { conversation } = inference;
  const name = modelIdOf(model);
  const takesSchema = supportsJsonSchema(model);
  // Older models answer in JSON or call tools: where both are asked for, the form is told in words.
  const isFormInWords = conversation.tools.length > 0 && !hasThinkingLevels(name);
  const { answerForm } = conversation;
  if (answerForm !== undefined && isFormInWords) call.onUnsupported?.("response_format");
  const extras = extrasFor(call, "gemini");
  const generationConfig = {
    ...(isObject(extras.generationConfig) ? extras.generationConfig : {}),
    ...toGenerationConfig(call, name),
    ...(answerForm === undefined || isFormInWords ? {} : toResponseFormat(answerForm, takesSchema)),
  };
  const formInWords = answerForm === undefined || !isFormInWords ? [] : [describeResponseFormat(answerForm)];
  return {
    ...extras,
    systemInstruction: toSystemInstruction(conversation, formInWords),
    contents: toContents(conversation, hasThinkingLevels(name)),
    ...toTools(conversation, takesSchema),
    ...(Object.keys(generationConfig).length === 0 ? {} : { generationConfig }),
  };
}

function toTools({ tools, toolChoice }: Conversation, takesSchema: boolean): Fields {
  if (tools.length === 0) return {};
  return {
    tools: [{ functionDeclarations: tools.map((tool) => toDeclaration(tool, takesSchema)) }],
    ...(toolChoice === undefined ? {} : { toolConfig: { functionCallingConfig: toFunctionCallingConfig(toolChoice) } }),
  };
}

function toDeclaration({ name, description, inputSchema }: Tool, takesSchema: boolean): Fields {
  const told = { name, description };
  if (!isObject(inputSchema)) return told;
  if (takesSchema) return { ...told, parametersJsonSchema: inputSchema };
  // An object without any properties is refused there: it says no more than nothing does.
  const hasProperties = isObject(inputSchema.properties) && Object.keys(inputSchema.properties).length > 0;
  return hasProperties ? { ...told, parameters: toGeminiSchema(inputSchema) } : told;
}

function toFunctionCallingConfig(choice: NonNullable<Conversation["toolChoice"]>): Fields {
  if (typeof choice === "object") return { mode: "ANY", allowedFunctionNames: [choice.name] };
  return { mode: { auto: "AUTO", none: "NONE", required: "ANY" }[choice] };
}

function toResponseFormat(form: AnswerForm, takesSchema: boolean): Fields {
  const json = { responseMimeType: "application/json" };
  if (form.type === "json") return json;
  return takesSchema
    ? { ...json, responseJsonSchema: form.schema }
    : { ...json, responseSchema: toGeminiSchema(form.schema) };
}

function describeResponseFormat(form: AnswerForm): string {
  if (form.type === "json") return "Unless you call a tool, answer with one JSON object, and with nothing else.";
  return `Unless you call a tool, answer with JSON that follows this schema, and with nothing else: ${JSON.stringify(form.schema)}`;
}

/** Says which fields of a request Gemini has no place for, whatever else is asked. */
function reportUnsupported({ inference, model, onUnsupported: onDropped }: ProviderCall): void {
  const { conversation, parameters } = inference;
  const contents = conversation.messages.flatMap(({ content }) => content);
  const untold = {
    cache_control: [...contents, ...conversation.tools].some((piece) => "cache" in piece && piece.cache),
    thinking: contents.some((piece) => piece.type === "thinking" && piece.sealed !== undefined),
    detail: contents.some(
      (piece) => piece.type === "attachment" && piece.detail !== undefined && piece.detail !== "auto",
    ),
    filename: contents.some((piece) => piece.type === "attachment" && piece.name !== undefined),
    parallel_tool_calls: conversation.parallelToolCalls === false,
    strict: conversation.tools.some(({ strict }) => strict === true),
    size: parameters.size !== undefined && model.type !== "image",
    voice: parameters.voice !== undefined,
    format: parameters.format !== undefined,
    speed: parameters.pace !== undefined,
    dimensions: parameters.dimensions !== undefined && model.type !== "embedding",
  };
  for (const [field, isUntold] of Object.entries(untold)) if (isUntold) onDropped?.(field);
  for (const field of Object.keys(parameters.others)) onDropped?.(field);
}
