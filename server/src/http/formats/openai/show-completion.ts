import { z } from "zod";
import type { CollectedAnswer } from "../../endpoints/endpoint.ts";
import { type Choice, collectChoices } from "./collect-choices.ts";
import { identifyResponse } from "./identify-answer.ts";
import { toUsage, usageSchema } from "./show-usage.ts";

const COMPLETION_FINISH_REASONS = {
  stop: "stop",
  length: "length",
  "tool-calls": "stop",
  refused: "content_filter",
  unknown: "stop",
} as const satisfies Record<Choice["finish"], string>;

/** How answers of the old `completions` look, whole or as they come. */
export const completionResponseSchema = z.object({
  id: z.string(),
  object: z.literal("text_completion"),
  created: z.number().describe("In seconds since 1970."),
  model: z.string().describe("`provider/name` of the model that answered."),
  system_fingerprint: z.null(),
  choices: z.array(
    z.object({
      index: z.number(),
      text: z.string(),
      logprobs: z
        .object({
          tokens: z.array(z.string()),
          token_logprobs: z.array(z.number()),
          top_logprobs: z.array(z.record(z.string(), z.number())),
          text_offset: z.array(z.number()),
        })
        .nullable(),
      finish_reason: z.enum(["stop", "length", "content_filter"]).nullable(),
    }),
  ),
  usage: usageSchema.nullable().optional(),
});

export type CompletionResponse = z.infer<typeof completionResponseSchema>;
export type CompletionChoice = CompletionResponse["choices"][number];

/** A whole answer of the old `completions`. */
export function toCompletionResponse({
  parts,
  receipt,
  trace: requestTrace,
}: CollectedAnswer): CompletionResponse {
  return {
    ...identifyResponse("cmpl", requestTrace, receipt),
    object: "text_completion",
    system_fingerprint: null,
    choices: collectChoices(parts).map(({ index, text, logprobs, finish }) => ({
      index,
      text,
      logprobs: logprobs === undefined ? null : toCompletionLogprobs(logprobs),
      finish_reason: toCompletionFinishReason(finish),
    })),
    usage: toUsage(receipt),
  };
}

export function toCompletionFinishReason(reason: Choice["finish"]): CompletionChoice["finish_reason"] {
  return COMPLETION_FINISH_REASONS[reason];
}

const tokenLogprob = z.object({ token: z.string(), logprob: z.number() });
const tokenLogprobWithAlternatives = tokenLogprob.extend({ top_logprobs: z.array(tokenLogprob).catch([]) });

/** How likely the words were, in the form from before there were chats: lists side by side. */
export function toCompletionLogprobs(content: readonly unknown[]): NonNullable<CompletionChoice["logprobs"]> {
  const heard = content.flatMap((entry) => tokenLogprobWithAlternatives.safeParse(entry).data ?? []);
  let offset = 0;
  return {
    tokens: heard.map(({ token }) => token),
    token_logprobs: heard.map(({ logprob }) => logprob),
    top_logprobs: heard.map(({ top_logprobs: others }) =>
      Object.fromEntries(others.map(({ token, logprob }) => [token, logprob])),
    ),
    text_offset: heard.map(({ token }) => {
      offset += token.length;
      return offset - token.length;
    }),
  };
}
