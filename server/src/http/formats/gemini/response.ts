import { fullNameOf } from "@trunkline/core/model.ts";
import type { FinishPart, LogprobsPart, Part, Receipt } from "@trunkline/core/parts.ts";
import { z } from "zod";
import type { WholeAnswer } from "../../endpoints/endpoint.ts";
import { partSchema } from "./contents.ts";

/** The answers of Google's operations, for the OpenAPI document. */
export const generateContentResponseSchema = z.object({
  candidates: z.array(
    z.object({
      content: z.object({ role: z.string(), parts: z.array(partSchema) }),
      finishReason: z.string().optional(),
      index: z.number(),
    }),
  ),
  usageMetadata: z
    .object({
      promptTokenCount: z.number(),
      candidatesTokenCount: z.number(),
      totalTokenCount: z.number(),
      thoughtsTokenCount: z.number().optional(),
      cachedContentTokenCount: z.number().optional(),
    })
    .optional(),
  modelVersion: z.string(),
  responseId: z.string(),
});

/** A part of an answer, as Google's clients read it. */
export type ResponsePart = Readonly<Record<string, unknown>>;

/** A whole answer in one response. */
export function toGenerateContentResponse({ parts, receipt, trace }: WholeAnswer) {
  const choices = new Set(parts.map(choiceIndexOf));
  const candidates = [...choices].toSorted((one, other) => one - other);
  return {
    candidates: (candidates.length === 0 ? [0] : candidates).map((index) =>
      toCandidate(
        index,
        parts.filter((part) => choiceIndexOf(part) === index),
      ),
    ),
    usageMetadata: toUsageMetadata(receipt),
    modelVersion: fullNameOf(receipt.model),
    responseId: trace.replayOf?.requestId ?? trace.requestId,
  };
}

function toCandidate(index: number, parts: readonly Part[]) {
  const finish = parts.find((part) => part.type === "finish");
  const logprobs = parts.find((part) => part.type === "logprobs");
  return {
    content: { role: "model", parts: mergeTexts(parts) },
    finishReason: toFinishReason(finish),
    index,
    ...(logprobs === undefined ? {} : { logprobsResult: toLogprobsResult(logprobs) }),
  };
}

/** Joins the pieces of one text into one part. */
function mergeTexts(parts: readonly Part[]): ResponsePart[] {
  const shown: ResponsePart[] = [];
  for (const part of parts) {
    const next = toResponsePart(part);
    if (next === undefined) continue;
    const last = shown.at(-1);
    if (typeof next.text === "string" && typeof last?.text === "string" && canMerge(last, next))
      shown[shown.length - 1] = { ...last, ...next, text: last.text + next.text };
    else shown.push(next);
  }
  return shown;
}

/** Text joins text and thoughts join thoughts, as long as neither is signed. */
function canMerge(last: ResponsePart, next: ResponsePart): boolean {
  return (
    last.thought === next.thought &&
    last.thoughtSignature === undefined &&
    (next.thoughtSignature === undefined || next.thought === true)
  );
}

/** A part in Google's format; undefined: it has none. */
export function toResponsePart(part: Part): ResponsePart | undefined {
  switch (part.type) {
    case "text":
      return { text: part.text };
    case "thinking": {
      const signature = part.signature ?? part.sealed;
      const signed = signature === undefined ? {} : { thoughtSignature: signature };
      if (part.text !== "") return { text: part.text, thought: true, ...signed };
      return signature === undefined ? undefined : { text: "", ...signed };
    }
    case "tool-call":
      return {
        functionCall: { id: part.id, name: part.name, args: parseArguments(part.arguments) },
        ...(part.signature === undefined ? {} : { thoughtSignature: part.signature }),
      };
    case "media":
      return toMediaPart(part.url);
    default:
      return undefined;
  }
}

function toMediaPart(url: string): ResponsePart {
  const [, mimeType, data] = /^data:([^;,]+);base64,(.*)$/is.exec(url) ?? [];
  return mimeType === undefined || data === undefined
    ? { fileData: { fileUri: url } }
    : { inlineData: { mimeType, data } };
}

/** Google's format takes an object as arguments, so other values are put into one. */
function parseArguments(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) return parsed;
  } catch {
    // Not JSON: passed on as text below.
  }
  return text.trim() === "" ? {} : { arguments: text };
}

const FINISH_REASONS: Readonly<Record<FinishPart["reason"], string>> = {
  stop: "STOP",
  "tool-calls": "STOP",
  length: "MAX_TOKENS",
  refused: "SAFETY",
  unknown: "OTHER",
};

export function toFinishReason(finish: FinishPart | undefined): string {
  return FINISH_REASONS[finish?.reason ?? "stop"];
}

/** Usage in Google's format, where thoughts do not count as tokens of the answer. */
export function toUsageMetadata({ inputTokens, outputTokens, cachedInputTokens, reasoningTokens }: Receipt) {
  return {
    promptTokenCount: inputTokens,
    candidatesTokenCount: outputTokens - reasoningTokens,
    totalTokenCount: inputTokens + outputTokens,
    ...(reasoningTokens === 0 ? {} : { thoughtsTokenCount: reasoningTokens }),
    ...(cachedInputTokens === 0 ? {} : { cachedContentTokenCount: cachedInputTokens }),
  };
}

/** Log probabilities, from OpenAI's format, in which they come, into Google's. */
export function toLogprobsResult({ content }: LogprobsPart) {
  const words = content.filter(
    (word): word is { token?: unknown; logprob?: unknown; top_logprobs?: unknown } =>
      typeof word === "object" && word !== null,
  );
  const toToken = ({ token, logprob }: { token?: unknown; logprob?: unknown }) => ({
    token,
    logProbability: logprob,
  });
  return {
    chosenCandidates: words.map(toToken),
    topCandidates: words.map(({ top_logprobs: top }) => ({
      candidates: (Array.isArray(top) ? top : []).map(toToken),
    })),
  };
}

/** The index of the choice that a part belongs to. */
export function choiceIndexOf(part: Part): number {
  return "choice" in part ? (part.choice ?? 0) : 0;
}
