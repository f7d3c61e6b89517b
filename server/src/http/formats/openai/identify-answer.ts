import { timeOfId } from "@trunkline/core/id.ts";
import type { Journal } from "@trunkline/core/journal.ts";
import { fullNameOf } from "@trunkline/core/model.ts";
import type { Receipt } from "@trunkline/core/receipt.ts";

export interface AnswerIdentity {
  readonly id: string;
  /** In seconds since 1970. */
  readonly created: number;
  /** `provider/name` of whoever answered. */
  readonly model: string;
}

/** By what an answer is known: an answer that is given again by what it was known by the first time. */
export function identifyAnswer(prefix: string, journal: Journal, receipt?: Receipt): AnswerIdentity {
  const requestId = journal.original?.requestId ?? journal.requestId;
  const model = receipt?.model ?? journal.original?.model ?? journal.chosen?.model;
  return {
    id: `${prefix}-${requestId}`,
    created: Math.floor(timeOfId(requestId) / 1_000),
    model: model === undefined ? (journal.inference?.model ?? "auto") : fullNameOf(model),
  };
}
