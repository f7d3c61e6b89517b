import { cachedFullNameOf } from "@trunkline/core/model.ts";
import { toCredits } from "@trunkline/core/money.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import { intendedAction } from "@trunkline/core/verdict.ts";
import { toMessages } from "../request-spans.ts";

/** A request as a line of JSON. Prompts and answers are as the provider saw and gave them, after redaction. */
export function writeLogRecord(trace: RequestTrace, status: number, withContent: boolean): string {
  const { inference, caller, chosen, charge, cache, inputVerdict, outputVerdict } = trace;
  return JSON.stringify({
    request_id: trace.requestId,
    created_at: trace.receivedAt.toISOString(),
    key_id: caller?.keyId,
    path: trace.path,
    task: inference?.task.word,
    requested_model: inference?.model,
    model: chosen === undefined ? undefined : cachedFullNameOf(chosen.model),
    status,
    error_type: trace.faultType,
    latency_ms: Math.round(trace.elapsedMs),
    streamed: inference?.streaming,
    input_tokens: charge?.inputTokens ?? 0,
    output_tokens: charge?.outputTokens ?? 0,
    cost: charge === undefined ? 0 : toCredits(charge.cost),
    cache: cache?.result,
    session: inference?.session,
    tags: inference?.tags,
    safety: {
      input: inputVerdict === undefined ? undefined : intendedAction(inputVerdict),
      output: outputVerdict === undefined ? undefined : intendedAction(outputVerdict),
    },
    // Before the input was screened it may contain private values.
    ...(withContent && inference !== undefined && inputVerdict !== undefined
      ? { input: toMessages(inference.conversation), output: trace.output }
      : {}),
  });
}
