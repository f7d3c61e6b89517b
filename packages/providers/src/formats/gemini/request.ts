import type { ProviderCall } from "@trunkline/core/adapter.ts";
import type { AnswerForm, Conversation, Tool } from "@trunkline/core/conversation.ts";
import { isObject } from "@trunkline/core/json-object.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import { extrasFor, type WireRequest } from "../../http/wire-format.ts";
import { toContents, toSystemInstruction } from "./contents.ts";
import { toEmbeddingsRequest } from "./embeddings.ts";
import { geminiCredentialHeader, modelIdOf, operationUrl, supportsJsonSchema } from "./endpoint.ts";
import { hasThinkingLevels, toGenerationConfig } from "./generation-config.ts";
import { toGeminiSchema } from "./schema.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The request to Gemini. */
export function toGeminiRequest(call: ProviderCall, credential: Secret | undefined): WireRequest {
  const { model, inference, requestId } = call;
  const headers = {
    "content-type": "application/json",
    ...geminiCredentialHeader(model, credential),
    "x-request-id": requestId,
  };
  reportUnsupported(call);
  if (model.type === "embedding") return { ...toEmbeddingsRequest(call), headers };
  const streaming = inference.streaming && model.streaming && model.type !== "image" && model.type !== "audio";
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
  // Older models support either JSON or tools: with both, the format is requested in the prompt.
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
  const declaration = { name, description };
  if (!isObject(inputSchema)) return declaration;
  if (takesSchema) return { ...declaration, parametersJsonSchema: inputSchema };
  // The API refuses an object schema without properties; leaving it out means the same.
  const hasProperties = isObject(inputSchema.properties) && Object.keys(inputSchema.properties).length > 0;
  return hasProperties ? { ...declaration, parameters: toGeminiSchema(inputSchema) } : declaration;
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

/** Reports request fields that Gemini never supports. */
function reportUnsupported({ inference, model, onUnsupported }: ProviderCall): void {
  const { conversation, parameters } = inference;
  const contents = conversation.messages.flatMap(({ content }) => content);
  const unsupported = {
    cache_control: [...contents, ...conversation.tools].some((piece) => "cache" in piece && piece.cache),
    thinking: contents.some((piece) => piece.type === "thinking" && piece.sealed !== undefined),
    detail: contents.some(
      (piece) => piece.type === "attachment" && piece.detail !== undefined && piece.detail !== "auto",
    ),
    filename: contents.some((piece) => piece.type === "attachment" && piece.name !== undefined),
    parallel_tool_calls: conversation.parallelToolCalls === false,
    strict: conversation.tools.some(({ strict }) => strict === true),
    size: parameters.size !== undefined && model.type !== "image",
    voice: parameters.voice !== undefined && model.type !== "audio",
    format: parameters.format !== undefined && model.type !== "audio",
    speed: parameters.pace !== undefined,
    dimensions: parameters.dimensions !== undefined && model.type !== "embedding",
  };
  for (const [field, isUnsupported] of Object.entries(unsupported)) if (isUnsupported) onUnsupported?.(field);
  for (const field of Object.keys(parameters.others)) onUnsupported?.(field);
}
