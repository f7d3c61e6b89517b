import {
  JUDGE_FAILURES,
  OPINION_RESULTS,
  type Opinion,
  SAFETY_ACTIONS,
  SAFETY_LEVELS,
} from "@trunkline/core/verdict.ts";
import { z } from "zod";

const scoresSchema = z.record(z.string(), z.number().min(0).max(1));

/** An external judge's opinion of a doubtful text. */
export const opinionResponseSchema = z.object({
  result: z
    .enum(OPINION_RESULTS)
    .describe("Whether more is done about the text than without it, less, or the same; `failed`: it gave none."),
  why: z.enum(JUDGE_FAILURES).optional().describe("Why there is none."),
  doubts: scoresSchema.describe("Our own scores of the categories that were in doubt."),
  said: scoresSchema.describe("What the judge said of these."),
  ms: z.number(),
  remembered: z.boolean().describe("It was asked about the same text within the last minute."),
});

export function toOpinionResponse({ result, why, doubts, said, ms, remembered }: Opinion) {
  const rounded = Math.round(ms * 1000) / 1000;
  return { result, ...(why === undefined ? {} : { why }), doubts, said, ms: rounded, remembered };
}

/** The verdict on a request's input or answer, as its record stores it. Older records lack some of these fields. */
export const verdictResponseSchema = z
  .object({
    action: z.enum(SAFETY_ACTIONS),
    categories: z.record(z.string(), z.number()).describe("Those that were found, 0 to 1."),
    acted: z
      .record(z.string(), z.enum(SAFETY_ACTIONS))
      .optional()
      .describe("What each category called for, of those that were not allowed."),
    spans: z
      .array(
        z.object({
          category: z.string(),
          kind: z.string().optional().describe("What the value there is, such as `email`, where it is one."),
          start: z.number(),
          end: z.number(),
        }),
      )
      .optional()
      .describe("Where it stands, as offsets into the text. The words themselves are not kept."),
    redacted: z
      .record(z.string(), z.number())
      .optional()
      .describe("How many values of each kind were taken out, such as `email`; left out where none was."),
    normalised: z.array(z.string()).optional().describe("What was undone before judging."),
    dry_run: z.literal(true).optional().describe("The policy was tried out: the action was not taken."),
    policy: z.enum(SAFETY_LEVELS).optional().describe("Whose rules called for the action."),
    judge: z
      .array(opinionResponseSchema)
      .optional()
      .describe("What a judge outside said of each text that was doubtful; left out where none was asked."),
  })
  .nullable()
  .describe("null: it was not looked at.");
