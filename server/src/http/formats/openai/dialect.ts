import { FAULT_STATUS, type Fault, type FaultType } from "@trunkline/core/fault.ts";
import { z } from "zod";
import { INFERENCE_FAULTS } from "../../endpoints/endpoint.ts";
import { type Dialect, refusedSpanSchema } from "../dialect.ts";

/** OpenAI's error types by HTTP status. Its libraries choose the class of an error by the status alone. */
const ERROR_TYPES = [
  "invalid_request_error",
  "authentication_error",
  "permission_error",
  "not_found_error",
  "conflict_error",
  "rate_limit_error",
  "insufficient_quota",
  "server_error",
] as const;
type ErrorType = (typeof ERROR_TYPES)[number];

/** Error types where the status alone would be too vague or wrong. */
const TYPE_OF_FAULT: Partial<Record<FaultType, ErrorType>> = {
  unsafe_input: "invalid_request_error",
  unsafe_output: "invalid_request_error",
  model_not_found: "invalid_request_error",
};

const TYPE_OF_STATUS: Readonly<Record<number, ErrorType>> = {
  401: "authentication_error",
  402: "insufficient_quota",
  403: "permission_error",
  404: "not_found_error",
  409: "conflict_error",
  429: "rate_limit_error",
};

/** An error as OpenAI's clients read it. */
export const openAiErrorSchema = z.object({
  error: z.object({
    message: z.string().describe("A sentence that says what to do."),
    type: z.enum(ERROR_TYPES),
    param: z.string().nullable().describe("The field at fault."),
    code: z
      .enum(Object.keys(FAULT_STATUS) as [FaultType, ...FaultType[]])
      .describe("The type of the error in the list of errors, docs/errors.md."),
    categories: z.array(z.string()).optional().describe("Why the safety check refused."),
    spans: z.array(refusedSpanSchema).optional().describe("Where in the text that stands."),
    attempts: z.array(z.object({ model: z.string(), reason: z.string(), ms: z.number() })).optional(),
    cost: z.number().optional().describe("What was charged although the answer is an error, in credits."),
  }),
});

export function toOpenAiError(fault: Fault): z.infer<typeof openAiErrorSchema> {
  const { param, categories, spans, attempts, cost } = fault.details;
  return {
    error: {
      message: fault.message,
      type: errorTypeOf(fault),
      param: param ?? null,
      code: fault.type,
      ...(categories === undefined ? {} : { categories: [...categories] }),
      ...(spans === undefined ? {} : { spans: [...spans] }),
      ...(attempts === undefined
        ? {}
        : { attempts: attempts.map((attempt) => ({ ...attempt, ms: Math.round(attempt.ms) })) }),
      ...(cost === undefined ? {} : { cost }),
    },
  };
}

function errorTypeOf(fault: Fault): ErrorType {
  const named = TYPE_OF_FAULT[fault.type] ?? TYPE_OF_STATUS[fault.status];
  return named ?? (fault.status < 500 ? "invalid_request_error" : "server_error");
}

/** The wire format of OpenAI's libraries, whose base URL is then `…/openai/v1`. */
export const openAiDialect: Dialect = {
  prefix: "/openai/v1",
  errorSchemaName: "OpenAIError",
  errorSchema: openAiErrorSchema,
  errorBody: toOpenAiError,
  repeatsProviders: true,
};

/** What all inference operations in OpenAI's format have in common. */
export const openAiInferenceDefaults = {
  kind: "inference",
  method: "POST",
  permission: "inference.use",
  tag: "OpenAI",
  faults: INFERENCE_FAULTS,
  dialect: openAiDialect,
} as const;
