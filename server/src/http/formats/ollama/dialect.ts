import { FAULT_STATUS, type Fault, type FaultType } from "@trunkline/core/fault.ts";
import { z } from "zod";
import { type Dialect, refusedSpanSchema } from "../dialect.ts";

/** An error as Ollama's clients read it. */
const ollamaErrorSchema = z.object({
  error: z.string().describe("A sentence that says what to do."),
  code: z
    .enum(Object.keys(FAULT_STATUS) as [FaultType, ...FaultType[]])
    .describe("The type of the error in the list of errors, docs/errors.md. Ollama has no such field."),
  param: z.string().optional().describe("The field at fault."),
  categories: z.array(z.string()).optional().describe("Why the safety check refused."),
  spans: z.array(refusedSpanSchema).optional().describe("Where in the text that stands."),
  attempts: z.array(z.object({ model: z.string(), reason: z.string(), ms: z.number() })).optional(),
  cost: z.number().optional().describe("What was charged although the answer is an error, in credits."),
});

export function toOllamaError(fault: Fault): z.infer<typeof ollamaErrorSchema> {
  const { param, categories, spans, attempts, cost } = fault.details;
  return {
    error: fault.message,
    code: fault.type,
    ...(param === undefined ? {} : { param }),
    ...(categories === undefined ? {} : { categories: [...categories] }),
    ...(spans === undefined ? {} : { spans: [...spans] }),
    ...(attempts === undefined
      ? {}
      : { attempts: attempts.map((attempt) => ({ ...attempt, ms: Math.round(attempt.ms) })) }),
    ...(cost === undefined ? {} : { cost }),
  };
}

/** The wire format of Ollama's clients, whose host is then `…/ollama`. */
export const ollamaDialect: Dialect = {
  prefix: "/ollama",
  errorSchemaName: "OllamaError",
  errorSchema: ollamaErrorSchema,
  errorBody: toOllamaError,
  repeatsProviders: true,
};
