import { JUDGE_FAILURES, OPINION_RESULTS, type Opinion } from "@trunkline/core/opinion.ts";
import { z } from "zod";

const scoresSchema = z.record(z.string(), z.number().min(0).max(1));

/** What a judge outside said of a doubtful text. */
export const opinionResponseSchema = z.object({
  result: z
    .enum(OPINION_RESULTS)
    .describe(
      "Whether more is done about the text than without it, less, or the same; `failed`: it gave none.",
    ),
  why: z.enum(JUDGE_FAILURES).optional().describe("Why there is none."),
  doubts: scoresSchema.describe("Our own scores of the categories that were in doubt."),
  said: scoresSchema.describe("What the judge said of these."),
  ms: z.number(),
  remembered: z.boolean().describe("It was asked about the same text within the last minute."),
});

/** An opinion, on the wire. */
export function toOpinionResponse({ result, why, doubts, said, ms, remembered }: Opinion) {
  const rounded = Math.round(ms * 1000) / 1000;
  return { result, ...(why === undefined ? {} : { why }), doubts, said, ms: rounded, remembered };
}
