import { timeOfId } from "@trunkline/core/id.ts";
import { toCredits } from "@trunkline/core/money.ts";
import type { FinishPart, Part, Receipt, ToolCallPart } from "@trunkline/core/parts.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import { z } from "zod";
import { nameOfAnswering } from "../../responses/answer.ts";

/** One choice of an answer, whole. */
export interface Choice {
  readonly index: number;
  text: string;
  thoughts: string;
  readonly calls: ToolCallPart[];
  logprobs: readonly unknown[] | undefined;
  finish: FinishPart["reason"];
}

/** Collects the parts of an answer by choice. There is always at least one choice. */
export function collectChoices(parts: readonly Part[]): Choice[] {
  const first = emptyChoice(0);
  const choices = [first];
  for (const part of parts) {
    const index = ("choice" in part ? part.choice : undefined) ?? 0;
    let choice = index === 0 ? first : choices.find((known) => known.index === index);
    if (choice === undefined) {
      choice = emptyChoice(index);
      choices.push(choice);
    }
    if (part.type === "text") choice.text += part.text;
    else if (part.type === "thinking") choice.thoughts += part.text;
    else if (part.type === "tool-call") choice.calls.push(part);
    else if (part.type === "logprobs") choice.logprobs = part.content;
    else if (part.type === "finish") choice.finish = part.reason;
  }
  return choices.length === 1 ? choices : choices.sort((one, other) => one.index - other.index);
}

function emptyChoice(index: number): Choice {
  return { index, text: "", thoughts: "", calls: [], logprobs: undefined, finish: "unknown" };
}

export interface ResponseIdentity {
  readonly id: string;
  /** In seconds since 1970. */
  readonly created: number;
  /** `provider/name` of the model that answered. */
  readonly model: string;
}

/** The id, time and model of an answer. An answer that is replayed keeps its first ones. */
export function identifyResponse(prefix: string, requestTrace: RequestTrace, receipt?: Receipt): ResponseIdentity {
  const { replayOf } = requestTrace;
  const model = receipt?.model ?? replayOf?.model ?? requestTrace.chosen?.model;
  const createdMs = replayOf === undefined ? requestTrace.receivedAt.getTime() : timeOfId(replayOf.requestId);
  return {
    id: `${prefix}-${replayOf?.requestId ?? requestTrace.requestId}`,
    created: Math.floor(createdMs / 1_000),
    model: model === undefined ? (requestTrace.inference?.model ?? "auto") : nameOfAnswering(model, requestTrace),
  };
}

export const usageSchema = z.object({
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  total_tokens: z.number(),
  prompt_tokens_details: z.object({ cached_tokens: z.number() }),
  completion_tokens_details: z.object({ reasoning_tokens: z.number() }),
  cost: z.number().describe("What was charged, in credits. OpenAI has no such field."),
});

/** Usage in the format of chats and completions. */
export function toUsage(receipt: Receipt): z.infer<typeof usageSchema> {
  return {
    prompt_tokens: receipt.inputTokens,
    completion_tokens: receipt.outputTokens,
    total_tokens: receipt.inputTokens + receipt.outputTokens,
    prompt_tokens_details: { cached_tokens: receipt.cachedInputTokens },
    completion_tokens_details: { reasoning_tokens: receipt.reasoningTokens },
    cost: toCredits(receipt.cost),
  };
}

/** The same as JSON, with what stands before its first number and after its last one. */
export function writeUsage(receipt: Receipt, before: string, after: string): string {
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens, cost } = receipt;
  const details =
    cachedInputTokens + reasoningTokens === 0 ? NO_DETAILS : writeDetails(cachedInputTokens, reasoningTokens);
  return `${before}${inputTokens},"completion_tokens":${outputTokens},"total_tokens":${inputTokens + outputTokens}${details}${toCredits(cost)}${after}`;
}

function writeDetails(cachedTokens: number, reasoningTokens: number): string {
  return `,"prompt_tokens_details":{"cached_tokens":${cachedTokens}},"completion_tokens_details":{"reasoning_tokens":${reasoningTokens}},"cost":`;
}

/** Most answers have neither. */
const NO_DETAILS = writeDetails(0, 0);

export const EVENT_STREAM_TYPE = "text/event-stream; charset=utf-8";

/** One event of a stream, as OpenAI frames it. */
export function formatEvent(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** The last event of a complete stream. */
export const STREAM_DONE = "data: [DONE]\n\n";
