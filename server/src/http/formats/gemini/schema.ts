import { z } from "zod";
import { extensionFields } from "../shared-fields.ts";

/** The forms of Google's operations, for the OpenAPI document. What is read of a body is decided in `read-generate.ts`. */
const data = z.object({ mimeType: z.string(), data: z.string().describe("base64") });
const file = z.object({ mimeType: z.string().optional(), fileUri: z.string().describe("https: URL") });

const part = z.object({
  text: z.string().optional(),
  thought: z.boolean().optional(),
  thoughtSignature: z.string().optional(),
  inlineData: data.optional(),
  fileData: file.optional(),
  functionCall: z
    .object({
      id: z.string().optional(),
      name: z.string(),
      args: z.record(z.string(), z.unknown()).optional(),
    })
    .optional(),
  functionResponse: z
    .object({
      id: z.string().optional(),
      name: z.string(),
      response: z.record(z.string(), z.unknown()).optional(),
    })
    .optional(),
});

const content = z.object({ role: z.enum(["user", "model", "function"]).optional(), parts: z.array(part) });

const schema = z.record(z.string(), z.unknown());

const contentFields = {
  contents: z.array(content).min(1),
  systemInstruction: z.object({ parts: z.array(part) }).optional(),
  tools: z
    .array(
      z.object({
        functionDeclarations: z
          .array(
            z.object({
              name: z.string(),
              description: z.string().optional(),
              parameters: schema.optional().describe("A schema in Google's own form."),
              parametersJsonSchema: schema.optional(),
            }),
          )
          .optional(),
      }),
    )
    .optional(),
  toolConfig: z
    .object({
      functionCallingConfig: z
        .object({
          mode: z.enum(["AUTO", "ANY", "NONE", "VALIDATED"]).optional(),
          allowedFunctionNames: z.array(z.string()).optional(),
        })
        .optional(),
    })
    .optional(),
};

export const generateContentRequestSchema = z.object({
  ...contentFields,
  generationConfig: z
    .object({
      temperature: z.number().min(0).max(2).optional(),
      topP: z.number().min(0).max(1).optional(),
      topK: z.number().optional(),
      candidateCount: z.int().min(1).max(8).optional(),
      maxOutputTokens: z.int().min(1).max(1_000_000).optional(),
      stopSequences: z.array(z.string()).optional(),
      seed: z.int().optional(),
      presencePenalty: z.number().optional(),
      frequencyPenalty: z.number().optional(),
      responseLogprobs: z.boolean().optional(),
      logprobs: z.int().min(0).max(20).optional(),
      responseMimeType: z.string().optional(),
      responseSchema: schema.optional(),
      responseJsonSchema: schema.optional(),
      thinkingConfig: z
        .object({
          includeThoughts: z.boolean().optional(),
          thinkingBudget: z.int().optional(),
          thinkingLevel: z.string().optional(),
        })
        .optional(),
    })
    .optional(),
  ...extensionFields,
});

export const countTokensRequestSchema = z.union([
  z.object(contentFields),
  z.object({ generateContentRequest: z.object(contentFields).catchall(z.unknown()) }),
]);

export const generateContentResponseSchema = z.object({
  candidates: z.array(
    z.object({
      content: z.object({ role: z.string(), parts: z.array(part) }),
      finishReason: z.string().optional(),
      index: z.number(),
    }),
  ),
  usageMetadata: z
    .object({
      promptTokenCount: z.number(),
      candidatesTokenCount: z.number(),
      totalTokenCount: z.number(),
      thoughtsTokenCount: z.number().optional(),
      cachedContentTokenCount: z.number().optional(),
    })
    .optional(),
  modelVersion: z.string(),
  responseId: z.string(),
});
