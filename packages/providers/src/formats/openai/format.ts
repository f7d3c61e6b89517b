import type { ProviderCall } from "@trunkline/core/adapter.ts";
import { jsonAnswerReader } from "../../http/json-answer-reader.ts";
import { readRateLimit, remainingCallsOf } from "../../http/rate-limit.ts";
import type { AnswerReader, RateLimitState, WireFormat, WireResponseHead } from "../../http/wire-format.ts";
import { embeddingsReader, rerankReader } from "./embeddings.ts";
import { errorMessageIn, errorStatusIn } from "./errors.ts";
import { imagesReader, speechReader } from "./media.ts";
import { operationOf } from "./operation.ts";
import { toOpenAiRequest } from "./request.ts";
import { ChatCompletionReader } from "./response.ts";
import { transcriptionReader } from "./transcription.ts";

/** OpenAI's format, which most providers and model servers use, each with small differences. */
export const openAiFormat = {
  request: toOpenAiRequest,
  read: readResponse,
  errorMessageOf: errorMessageIn,
  limitsOf: rateLimitsIn,
  statusOf: errorStatusIn,
} satisfies WireFormat;

function readResponse(call: ProviderCall, head: WireResponseHead): AnswerReader {
  const { model } = call;
  switch (operationOf(call)) {
    case "chat":
      return jsonAnswerReader(new ChatCompletionReader(call), model.limits, head.streaming);
    case "embeddings":
      return jsonAnswerReader(embeddingsReader(call), model.limits, false);
    case "rerank":
      return jsonAnswerReader(rerankReader(call), model.limits, false);
    case "images":
    case "image-edits":
    case "image-variations":
      return jsonAnswerReader(imagesReader(model), model.limits, false);
    case "speech":
      return speechReader(call, head);
    case "transcription":
    case "translation":
      return transcriptionReader(model);
  }
}

const PAUSE_SECONDS_MAX = 86_400;
const KINDS = ["requests", "tokens"] as const;
const SECONDS_PER_UNIT: Readonly<Record<string, number>> = { d: 86_400, h: 3_600, m: 60, s: 1, ms: 0.001 };

/** The pause until limits that are used up reset, from the headers of a response. */
export function rateLimitsIn(headers: WireResponseHead["headers"], now: number): RateLimitState | undefined {
  if (
    headers["x-ratelimit-remaining-requests"] === undefined &&
    headers["x-ratelimit-remaining-tokens"] === undefined &&
    headers["retry-after-ms"] === undefined
  )
    return readRateLimit(headers, now);
  const waits = KINDS.flatMap((kind) => {
    const remaining = headers[`x-ratelimit-remaining-${kind}`]?.trim();
    const seconds = readDuration(headers[`x-ratelimit-reset-${kind}`]);
    return remaining !== undefined && /^0+$/.test(remaining) && seconds !== undefined ? [seconds] : [];
  });
  const told = readMilliseconds(headers["retry-after-ms"]);
  const seconds = told ?? (waits.length === 0 ? undefined : Math.max(...waits));
  if (seconds !== undefined && seconds > 0) return { pauseSeconds: Math.min(Math.ceil(seconds), PAUSE_SECONDS_MAX) };
  const remaining = remainingCallsOf(
    headers["x-ratelimit-remaining-requests"],
    readDuration(headers["x-ratelimit-reset-requests"]),
  );
  return remaining === undefined ? readRateLimit(headers, now) : { remaining };
}

/** The seconds of `1s`, `6m0s`, `120ms` or `1h2.5s`; a plain number is in seconds. */
export function readDuration(text: string | undefined): number | undefined {
  const trimmed = text?.trim() ?? "";
  if (/^\d{1,9}(\.\d{1,9})?$/.test(trimmed)) return Number(trimmed);
  if (!/^(\d{1,9}(\.\d{1,9})?(ms|[dhms]))+$/.test(trimmed)) return undefined;
  let seconds = 0;
  for (const [, amount, unit = ""] of trimmed.matchAll(/(\d+(?:\.\d+)?)(ms|[dhms])/g))
    seconds += Number(amount) * (SECONDS_PER_UNIT[unit] ?? 0);
  return seconds;
}

function readMilliseconds(text: string | undefined): number | undefined {
  const trimmed = text?.trim() ?? "";
  return /^\d{1,12}(\.\d{1,9})?$/.test(trimmed) ? Number(trimmed) / 1_000 : undefined;
}
