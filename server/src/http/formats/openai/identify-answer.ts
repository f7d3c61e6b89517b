import { timeOfId } from "@trunkline/core/id.ts";
import type { RequestTrace } from "@trunkline/core/journal.ts";
import { fullNameOf } from "@trunkline/core/model.ts";
import type { Receipt } from "@trunkline/core/receipt.ts";

export interface ResponseIdentity {
  readonly id: string;
  /** In seconds since 1970. */
  readonly created: number;
  /** `provider/name` of whoever answered. */
  readonly model: string;
}

/** By what an answer is known: an answer that is given again by what it was known by the first time. */
export function identifyResponse(
  prefix: string,
  requestTrace: RequestTrace,
  receipt?: Receipt,
): ResponseIdentity {
  const requestId = requestTrace.replayOf?.requestId ?? requestTrace.requestId;
  const model = receipt?.model ?? requestTrace.replayOf?.model ?? requestTrace.chosen?.model;
  return {
    id: `${prefix}-${requestId}`,
    created: Math.floor(timeOfId(requestId) / 1_000),
    model: model === undefined ? (requestTrace.inference?.model ?? "auto") : fullNameOf(model),
  };
}
