import { CACHE_SIMILARITY, CACHE_TTL_SECONDS } from "@trunkline/core/inference.ts";
import { z } from "zod";

/** The bodies of the inference operations, for the OpenAPI document. The line's own validation is hand-written (validate/). */
const scalarSchema = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const parametersSchema = z
  .object({
    max_tokens: z.int().min(1).max(1_000_000).optional(),
    temperature: z.number().min(0).max(2).optional(),
    size: z.string().optional().describe("<width>x<height>, each 16 to 8192."),
    voice: z.string().min(1).max(64).optional(),
    format: z.string().min(1).max(64).optional(),
  })
  .catchall(scalarSchema);

export const hedgeSchema = z
  .boolean()
  .optional()
  .describe("With `speed: fast`: ask a second model where the first takes longer than usual.");

export const preferencesSchema = z
  .object({
    speed: z.enum(["fast", "balanced", "any"]).optional(),
    cost: z.enum(["low", "balanced", "any"]).optional(),
    quality: z.enum(["high", "balanced", "any"]).optional(),
    max_cost: z.number().min(0).optional().describe("The most this request may cost, in credits."),
    max_latency_ms: z.number().optional(),
    min_quality: z.number().min(0).max(1).optional(),
    hedge: hedgeSchema,
  })
  .optional();

export const routeSchema = z
  .enum([
    "auto",
    "cost-optimized",
    "speed-optimized",
    "quality-optimized",
    "hybrid",
    "cost",
    "speed",
    "quality",
    "cascade",
  ])
  .optional()
  .describe("`cascade`: the cheapest model first, and a better one where its answer fails `check`.");

export const answerCheckSchema = z
  .object({
    json_schema: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("The answer, read as JSON, must meet it. At most 64 KiB."),
    regex: z.string().min(1).max(512).optional().describe("The answer must hold a match. RE2's syntax."),
    min_length: z.int().min(1).max(1_000_000).optional().describe("In characters."),
    non_empty: z.boolean().optional().describe("Asked in any case."),
  })
  .optional()
  .describe("What an answer must be like; only with `route: cascade`.");

export const fallbacksSchema = z.array(z.string()).max(16).optional().describe("Models to try next.");

export const sessionSchema = z
  .string()
  .min(1)
  .max(256)
  .optional()
  .describe("Requests of one session stay with one model while it serves them.");
export const continueSchema = z
  .boolean()
  .optional()
  .describe("false: an answer that breaks off in the middle is not continued by another model.");

const inferenceFields = {
  input: z.string().min(1).max(400_000).describe("The prompt or content to process."),
  model: z.string().optional().describe("A name from GET /v1/models, provider/name, or `auto`."),
  route: routeSchema,
  check: answerCheckSchema,
  preferences: preferencesSchema,
  parameters: parametersSchema.optional(),
  fallbacks: fallbacksSchema,
  session: sessionSchema,
  continue: continueSchema,
  hedge: hedgeSchema,
  attachments: z
    .array(z.object({ type: z.enum(["image", "audio", "file"]), url: z.string().describe("https: or data: URL") }))
    .max(16)
    .optional(),
  cache: z
    .union([
      z.object({
        ttl: z.int().min(CACHE_TTL_SECONDS.min).max(CACHE_TTL_SECONDS.max).describe("Seconds."),
        similarity: z
          .union([z.number().min(CACHE_SIMILARITY.min).max(CACHE_SIMILARITY.max), z.boolean()])
          .optional()
          .describe(`How alike the last words must be; true: ${CACHE_SIMILARITY.default}.`),
      }),
      z.literal(false),
    ])
    .optional()
    .describe("Whether the answer may be one that was given before, at no cost; false: never."),
};

const taskSchema = z
  .string()
  .min(1)
  .max(64)
  .describe("Kind of work, for example chat, text-generation, code, summarization, image.");

export const aiRequestSchema = z.object({ task: taskSchema, ...inferenceFields });
export const generateRequestSchema = z.object({ task: taskSchema.optional(), ...inferenceFields });
export const imageRequestSchema = z.object({
  ...inferenceFields,
  size: z.string().optional().describe("Default 1024x1024."),
});
export const audioRequestSchema = z.object({
  ...inferenceFields,
  voice: z.string().optional(),
  format: z.string().optional(),
});

const { attachments: _, ...inferenceFieldsWithoutAttachments } = inferenceFields;
export const embeddingsRequestSchema = z.object({
  ...inferenceFieldsWithoutAttachments,
  input: z
    .union([z.string(), z.array(z.string()).min(1).max(2_048)])
    .describe("One text or a list of them, each 1 to 400,000 characters."),
  dimensions: z.int().min(1).max(16_384).optional().describe("Where the model can make as many."),
});

export const tokenUsageSchema = z.object({ input_tokens: z.number(), output_tokens: z.number() });
