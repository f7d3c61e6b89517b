import type { AnswerFeedback } from "@trunkline/router/learn/feedback.ts";
import { z } from "zod";
import type { RequestRecord } from "../../store/usage/request-log.ts";

/** What a client said of an answer. */
export const feedbackResponseSchema = z.object({
  score: z.number().describe("−1, as bad as can be, to 1."),
  comment: z.string().optional(),
  at: z.string(),
});

/** The same, on the wire. */
export function toFeedbackResponse({ score, comment, at }: AnswerFeedback) {
  return { score, ...(comment === undefined ? {} : { comment }), at: at.toISOString() };
}

/** What a record shows of it. */
export function feedbackFields({
  feedback_score: score,
  feedback_comment: comment,
  feedback_at: at,
}: RequestRecord) {
  if (score === null || at === null) return {};
  return { feedback: toFeedbackResponse({ score, comment: comment ?? undefined, at }) };
}
