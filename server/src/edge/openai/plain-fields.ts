import { z } from "zod";
import type { Parameters } from "../../domain/inference.ts";
import { readString } from "../../validate/fields.ts";

/** Where nothing is said of how the answer should be made. */
export const NO_PARAMETERS: Parameters = {
  maxTokens: undefined,
  temperature: undefined,
  size: undefined,
  voice: undefined,
  format: undefined,
  others: {},
};

/** What every operation takes beside OpenAI's own fields: our words for who should serve it. */
export const WISH_FIELDS = ["route", "preferences", "fallbacks", "cache"] as const;

/** The same for the OpenAPI document. */
export const wishSchemas = {
  route: z.string().nullish().describe("A strategy for this request, as in POST /v1/generate."),
  preferences: z.looseObject({}).nullish().describe("As in POST /v1/generate."),
  fallbacks: z.array(z.string()).max(16).nullish().describe("Models to try next."),
} as const;

/** The application's own name for whom it asks. */
export function readUser(value: unknown, param: string): string {
  return readString(value, param, 1, 512);
}
