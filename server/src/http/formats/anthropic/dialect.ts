import type { Fault, FaultType } from "@trunkline/core/fault.ts";
import { z } from "zod";
import { type Dialect, refusedSpanSchema } from "../dialect.ts";

/** Anthropic's error types by HTTP status. Its libraries choose the class of an error by the status. */
const ERROR_TYPES = [
  "invalid_request_error",
  "authentication_error",
  "billing_error",
  "permission_error",
  "not_found_error",
  "conflict_error",
  "request_too_large",
  "rate_limit_error",
  "timeout_error",
  "api_error",
  "overloaded_error",
] as const;
type ErrorType = (typeof ERROR_TYPES)[number];

/** Anthropic reports a refused prompt as an error of the request, not of the client's permissions. */
const TYPE_OF_FAULT: Partial<Record<FaultType, ErrorType>> = {
  unsafe_input: "invalid_request_error",
  unsafe_output: "invalid_request_error",
};

const TYPE_OF_STATUS: Readonly<Record<number, ErrorType>> = {
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  408: "timeout_error",
  409: "conflict_error",
  413: "request_too_large",
  429: "rate_limit_error",
  503: "overloaded_error",
  504: "timeout_error",
};

/** An error as Anthropic's clients read it. */
export const anthropicErrorSchema = z.object({
  type: z.literal("error"),
  error: z.object({
    type: z.enum(ERROR_TYPES),
    message: z.string().describe("A sentence that says what to do."),
    details: z
      .object({
        error_code: z.string().describe("The type of the error in the list of errors, docs/errors.md."),
        param: z.string().optional().describe("The field at fault."),
        categories: z.array(z.string()).optional().describe("Why the safety check refused."),
        spans: z.array(refusedSpanSchema).optional().describe("Where in the text that stands."),
        attempts: z.array(z.object({ model: z.string(), reason: z.string(), ms: z.number() })).optional(),
        cost: z.number().optional().describe("What was charged although the answer is an error, in credits."),
      })
      .describe("What Trunkline knows beyond Anthropic's own form."),
  }),
  request_id: z.string(),
});

export function toAnthropicError(fault: Fault, requestId: string): z.infer<typeof anthropicErrorSchema> {
  const { param, categories, spans, attempts, cost } = fault.details;
  return {
    type: "error",
    error: {
      type: errorTypeOf(fault),
      // Clients of this format shorten a conversation by themselves where they read these words.
      message: fault.type === "context_length_exceeded" ? `prompt is too long: ${fault.message}` : fault.message,
      details: {
        error_code: fault.type,
        ...(param === undefined ? {} : { param }),
        ...(categories === undefined ? {} : { categories: [...categories] }),
        ...(spans === undefined ? {} : { spans: [...spans] }),
        ...(attempts === undefined
          ? {}
          : { attempts: attempts.map((attempt) => ({ ...attempt, ms: Math.round(attempt.ms) })) }),
        ...(cost === undefined ? {} : { cost }),
      },
    },
    request_id: requestId,
  };
}

function errorTypeOf(fault: Fault): ErrorType {
  const named = TYPE_OF_FAULT[fault.type] ?? TYPE_OF_STATUS[fault.status];
  return named ?? (fault.status < 500 ? "invalid_request_error" : "api_error");
}

/** The wire format of Anthropic's libraries, whose base URL is then `…/anthropic`. */
export const anthropicDialect: Dialect = {
  prefix: "/anthropic",
  errorSchemaName: "AnthropicError",
  errorSchema: anthropicErrorSchema,
  errorBody: toAnthropicError,
  repeatsProviders: true,
  requestIdHeader: "request-id",
};
