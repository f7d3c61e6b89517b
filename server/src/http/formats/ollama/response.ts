import { fullNameOf } from "@trunkline/core/model.ts";
import type { FinishPart, Part, Receipt, ToolCallPart } from "@trunkline/core/parts.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import { z } from "zod";
import type { StreamWriter, WholeAnswer } from "../../endpoints/endpoint.ts";
import { embeddingVectors } from "../../responses/answer.ts";
import { toOllamaError } from "./dialect.ts";

const toolCall = z.object({
  id: z.string(),
  function: z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()) }),
});

/** What the last object of an answer has besides its words. Times are in nanoseconds. */
const ending = {
  done_reason: z.enum(["stop", "length"]).optional(),
  total_duration: z.number().optional(),
  load_duration: z.number().optional(),
  prompt_eval_count: z.number().optional(),
  prompt_eval_duration: z.number().optional(),
  eval_count: z.number().optional(),
  eval_duration: z.number().optional(),
};

const identity = {
  model: z.string().describe("`provider/name` of the model that answered."),
  created_at: z.string(),
  done: z.boolean(),
};

/** A whole answer, or one line of a stream. */
export const chatResponseSchema = z.object({
  ...identity,
  message: z.object({
    role: z.literal("assistant"),
    content: z.string(),
    thinking: z.string().optional(),
    tool_calls: z.array(toolCall).optional(),
  }),
  ...ending,
});

export const generateResponseSchema = z.object({
  ...identity,
  response: z.string(),
  thinking: z.string().optional(),
  ...ending,
});

export const embedResponseSchema = z.object({
  model: z.string(),
  embeddings: z.array(z.array(z.number())),
  total_duration: z.number(),
  load_duration: z.number(),
  prompt_eval_count: z.number(),
});

/** The words of an answer, or of a piece of it. */
interface Words {
  readonly content: string;
  readonly thinking?: string;
  readonly tool_calls?: readonly z.infer<typeof toolCall>[];
}

/** How an operation shows words: as a message, or as a plain text. */
type ShowWords = (words: Words) => object;

const asMessage: ShowWords = (words) => ({ message: { role: "assistant", ...words } });
const asResponse: ShowWords = ({ content, thinking }) => ({
  response: content,
  ...(thinking === undefined ? {} : { thinking }),
});

export const toChatResponse = (answer: WholeAnswer) => toResponse(answer, asMessage);
export const toGenerateResponse = (answer: WholeAnswer) => toResponse(answer, asResponse);
export const streamChat = (requestTrace: RequestTrace, body: unknown) => streamAnswer(requestTrace, body, asMessage);
export const streamGenerate = (requestTrace: RequestTrace, body: unknown) =>
  streamAnswer(requestTrace, body, asResponse);

function toResponse({ parts, text, receipt, trace, requestBody }: WholeAnswer, show: ShowWords): unknown {
  const thinking = hidesThoughts(requestBody)
    ? ""
    : parts.map((part) => (part.type === "thinking" ? part.text : "")).join("");
  const calls = parts.flatMap((part) => (part.type === "tool-call" ? [toToolCall(part)] : []));
  const finish = parts.find((part) => part.type === "finish");
  const words = {
    content: text,
    ...(thinking === "" ? {} : { thinking }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return { ...identify(trace, receipt), ...show(words), ...toEnding(finish, receipt) };
}

/** The content type of a stream: one JSON object a line. */
export const NDJSON_TYPE = "application/x-ndjson";

function streamAnswer(requestTrace: RequestTrace, requestBody: unknown, show: ShowWords): StreamWriter {
  const hides = hidesThoughts(requestBody);
  let finish: FinishPart | undefined;
  const line = (words: Words) => `${JSON.stringify({ ...identify(requestTrace), ...show(words), done: false })}\n`;
  const write = (part: Part | Receipt): string => {
    switch (part.type) {
      case "text":
        return line({ content: part.text });
      case "thinking":
        return hides || part.text === "" ? "" : line({ content: "", thinking: part.text });
      case "tool-call":
        return line({ content: "", tool_calls: [toToolCall(part)] });
      case "finish":
        finish = part;
        return "";
      case "receipt": {
        const last = { ...identify(requestTrace, part), ...show({ content: "" }), ...toEnding(finish, part) };
        return `${JSON.stringify(last)}\n`;
      }
      default:
        return "";
    }
  };
  return {
    contentType: NDJSON_TYPE,
    write,
    fail: (fault) => `${JSON.stringify(toOllamaError(fault))}\n`,
  };
}

function hidesThoughts(requestBody: unknown): boolean {
  return typeof requestBody === "object" && requestBody !== null && Reflect.get(requestBody, "think") === false;
}

function identify({ replayOf, chosen, receivedAt }: RequestTrace, receipt?: Receipt) {
  const model = receipt?.model ?? replayOf?.model ?? chosen?.model;
  return { model: model === undefined ? "auto" : fullNameOf(model), created_at: receivedAt.toISOString() };
}

function toToolCall({ id, name, arguments: given }: ToolCallPart): z.infer<typeof toolCall> {
  return { id, function: { name, arguments: parseArguments(given) } };
}

/** Ollama's format has the arguments as an object. What is none is left out. */
function parseArguments(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {};
  } catch {
    return {};
  }
}

const NANOSECONDS_PER_MS = 1_000_000;

function toEnding(finish: FinishPart | undefined, { inputTokens, outputTokens, latencyMs }: Receipt) {
  const duration = Math.round(latencyMs * NANOSECONDS_PER_MS);
  return {
    done: true,
    done_reason: finish?.reason === "length" ? "length" : "stop",
    total_duration: duration,
    load_duration: 0,
    prompt_eval_count: inputTokens,
    prompt_eval_duration: 0,
    eval_count: outputTokens,
    eval_duration: duration,
  };
}

export function toEmbedResponse({ parts, receipt }: WholeAnswer): z.infer<typeof embedResponseSchema> {
  return {
    model: fullNameOf(receipt.model),
    embeddings: embeddingVectors(parts).map((vector) => [...vector]),
    total_duration: Math.round(receipt.latencyMs * NANOSECONDS_PER_MS),
    load_duration: 0,
    prompt_eval_count: receipt.inputTokens,
  };
}
