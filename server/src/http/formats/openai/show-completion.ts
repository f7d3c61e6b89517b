import { z } from "zod";
import type { WholeAnswer } from "../../endpoints/endpoint.ts";
import { type Choice, collectChoices } from "./collect-choices.ts";
import { identifyAnswer } from "./identify-answer.ts";
import { showUsage, usageShown } from "./show-usage.ts";

const FINISH_WORDS = {
  stop: "stop",
  length: "length",
  "tool-calls": "stop",
  refused: "content_filter",
  unknown: "stop",
} as const satisfies Record<Choice["finish"], string>;

/** How answers of the old `completions` look, whole or as they come. */
export const textCompletionShown = z.object({
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
  usage: usageShown.nullable().optional(),
});

export type TextCompletion = z.infer<typeof textCompletionShown>;
export type TextChoice = TextCompletion["choices"][number];

/** A whole answer of the old `completions`. */
export function showCompletion({ parts, receipt, journal }: WholeAnswer): TextCompletion {
  return {
    ...identifyAnswer("cmpl", journal, receipt),
    object: "text_completion",
    system_fingerprint: null,
    choices: collectChoices(parts).map(({ index, text, logprobs, finish }) => ({
      index,
      text,
      logprobs: logprobs === undefined ? null : showOldLogprobs(logprobs),
      finish_reason: oldFinishReasonOf(finish),
    })),
    usage: showUsage(receipt),
  };
}

export function oldFinishReasonOf(reason: Choice["finish"]): TextChoice["finish_reason"] {
  return FINISH_WORDS[reason];
}

const tokenLikelihood = z.object({ token: z.string(), logprob: z.number() });
const heardLikelihood = tokenLikelihood.extend({ top_logprobs: z.array(tokenLikelihood).catch([]) });

/** How likely the words were, in the form from before there were chats: lists side by side. */
export function showOldLogprobs(content: readonly unknown[]): NonNullable<TextChoice["logprobs"]> {
  const heard = content.flatMap((entry) => heardLikelihood.safeParse(entry).data ?? []);
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
