import type { Parameters } from "@trunkline/core/inference.ts";

/** Where nothing is said of how the answer should be made. */
export const EMPTY_PARAMETERS: Parameters = {
  maxTokens: undefined,
  temperature: undefined,
  size: undefined,
  voice: undefined,
  format: undefined,
  others: {},
};

/** What every operation takes beside OpenAI's own fields: our words for who should serve it. */
export const ROUTING_FIELDS = [
  "route",
  "check",
  "preferences",
  "fallbacks",
  "cache",
  "session",
  "continue",
  "hedge",
] as const;
