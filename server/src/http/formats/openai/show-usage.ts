import { toCredits } from "@trunkline/core/money.ts";
import type { Receipt } from "@trunkline/core/receipt.ts";
import { z } from "zod";

export const usageSchema = z.object({
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  total_tokens: z.number(),
  prompt_tokens_details: z.object({ cached_tokens: z.number() }),
  completion_tokens_details: z.object({ reasoning_tokens: z.number() }),
  cost: z.number().describe("What was charged, in credits. OpenAI has no such field."),
});

/** What an answer took, in the words of the operations that count a prompt and its completion. */
export function toUsage(receipt: Receipt): z.infer<typeof usageSchema> {
  return {
    prompt_tokens: receipt.inputTokens,
    completion_tokens: receipt.outputTokens,
    total_tokens: receipt.inputTokens + receipt.outputTokens,
    prompt_tokens_details: { cached_tokens: receipt.cachedInputTokens },
    completion_tokens_details: { reasoning_tokens: receipt.reasoningTokens },
    cost: toCredits(receipt.cost),
  };
}
