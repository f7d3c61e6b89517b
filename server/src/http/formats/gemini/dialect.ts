import { FAULT_STATUS, type Fault, type FaultType } from "@trunkline/core/fault.ts";
import { z } from "zod";
import type { Dialect } from "../dialect.ts";

/** Google's error codes by HTTP status. */
const STATUS_NAMES: Readonly<Record<number, string>> = {
  401: "UNAUTHENTICATED",
  402: "FAILED_PRECONDITION",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  405: "UNIMPLEMENTED",
  408: "DEADLINE_EXCEEDED",
  409: "ABORTED",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  502: "UNAVAILABLE",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

/** An error as Google's clients read it. */
export const geminiErrorSchema = z.object({
  error: z.object({
    code: z.number().describe("The HTTP status."),
    message: z.string().describe("A sentence that says what to do."),
    status: z.string().describe("Google's word for it, such as INVALID_ARGUMENT."),
    details: z.array(
      z.union([
        z.object({
          "@type": z.literal("type.googleapis.com/google.rpc.ErrorInfo"),
          reason: z
            .enum(Object.keys(FAULT_STATUS) as [FaultType, ...FaultType[]])
            .describe("The type of the error in the list of errors, docs/errors.md."),
          domain: z.literal("trunkline"),
          metadata: z.record(z.string(), z.string()),
        }),
        z.object({
          "@type": z.literal("type.googleapis.com/google.rpc.RetryInfo"),
          retryDelay: z.string(),
        }),
      ]),
    ),
  }),
});

export function toGeminiError(fault: Fault, requestId: string): z.infer<typeof geminiErrorSchema> {
  const { retryAfterSeconds } = fault.details;
  return {
    error: {
      code: fault.status,
      message: fault.message,
      status: STATUS_NAMES[fault.status] ?? "INVALID_ARGUMENT",
      details: [
        {
          "@type": "type.googleapis.com/google.rpc.ErrorInfo",
          reason: fault.type,
          domain: "trunkline",
          metadata: metadataOf(fault, requestId),
        },
        ...(retryAfterSeconds === undefined
          ? []
          : [
              {
                "@type": "type.googleapis.com/google.rpc.RetryInfo" as const,
                retryDelay: `${Math.max(1, Math.ceil(retryAfterSeconds))}s`,
              },
            ]),
      ],
    },
  };
}

/** The details of a fault besides its message. Google's format takes texts only. */
function metadataOf({ details }: Fault, requestId: string): Record<string, string> {
  const { param, categories, spans, attempts, cost } = details;
  return {
    request_id: requestId,
    ...(param === undefined ? {} : { param }),
    ...(categories === undefined ? {} : { categories: categories.join(", ") }),
    ...(spans === undefined
      ? {}
      : { spans: spans.map(({ category, start, end }) => `${category} ${start}-${end}`).join(", ") }),
    ...(attempts === undefined
      ? {}
      : { attempts: attempts.map(({ model, reason }) => `${model}: ${reason}`).join("; ") }),
    ...(cost === undefined ? {} : { cost: String(cost) }),
  };
}

/** The wire format of Google's libraries, whose base URL is then `…/gemini`. */
export const geminiDialect: Dialect = {
  prefix: "/gemini",
  errorSchemaName: "GeminiError",
  errorSchema: geminiErrorSchema,
  errorBody: toGeminiError,
  repeatsProviders: true,
};
