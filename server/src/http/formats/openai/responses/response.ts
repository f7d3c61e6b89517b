import { toCredits } from "@trunkline/core/money.ts";
import type { FinishPart, Receipt } from "@trunkline/core/parts.ts";
import { z } from "zod";
import type { KeptFields } from "../../../endpoints/endpoint.ts";
import type { Fields } from "../../../requests/fields.ts";
import { answeringModelsField } from "../../../responses/answer.ts";
import type { ResponseIdentity } from "../response-parts.ts";

/** The answers of `responses`, for the OpenAPI document. */
const status = z.enum(["in_progress", "completed", "incomplete"]);

const outputText = z.object({
  type: z.literal("output_text"),
  text: z.string(),
  annotations: z.array(z.unknown()),
  logprobs: z.array(z.unknown()).optional(),
});

const messageItem = z.object({
  type: z.literal("message"),
  id: z.string(),
  role: z.literal("assistant"),
  status,
  content: z.array(outputText),
});

const reasoningItem = z.object({
  type: z.literal("reasoning"),
  id: z.string(),
  status,
  summary: z.array(z.object({ type: z.literal("summary_text"), text: z.string() })),
  encrypted_content: z
    .string()
    .nullable()
    .describe("Send it back with the item: its provider knows its own thoughts again by it."),
});

const functionCallItem = z.object({
  type: z.literal("function_call"),
  id: z.string(),
  call_id: z.string(),
  name: z.string(),
  namespace: z.string().optional(),
  arguments: z.string().describe("JSON."),
  status,
  extra_content: z
    .object({ google: z.object({ thought_signature: z.string() }) })
    .optional()
    .describe("Send it back with the call: Gemini knows its own calls again by it."),
});

const customCallItem = z.object({
  type: z.literal("custom_tool_call"),
  id: z.string(),
  call_id: z.string(),
  name: z.string(),
  namespace: z.string().optional(),
  input: z.string(),
  status,
});

const item = z.discriminatedUnion("type", [messageItem, reasoningItem, functionCallItem, customCallItem]);

export const responseSchema = z.object({
  id: z.string(),
  object: z.literal("response"),
  created_at: z.number().describe("In seconds since 1970."),
  status: z.enum(["in_progress", "completed", "incomplete", "failed"]),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  incomplete_details: z.object({ reason: z.enum(["max_output_tokens", "content_filter"]) }).nullable(),
  model: z.string().describe("`provider/name` of the model that answered."),
  output: z.array(item),
  usage: z
    .object({
      input_tokens: z.number(),
      input_tokens_details: z.object({ cached_tokens: z.number() }),
      output_tokens: z.number(),
      output_tokens_details: z.object({ reasoning_tokens: z.number() }),
      total_tokens: z.number(),
      cost: z.number().describe("What was charged, in credits. OpenAI has no such field."),
    })
    .nullable(),
  trunkline: z
    .object({ models: z.array(z.string()).readonly() })
    .optional()
    .describe("The models that spoke, where one went on with what another had begun. OpenAI has no such field."),
  instructions: z.unknown(),
  max_output_tokens: z.unknown(),
  metadata: z.unknown(),
  parallel_tool_calls: z.boolean(),
  previous_response_id: z.unknown(),
  conversation: z.object({ id: z.string() }).nullable().describe("The conversation that the answer was added to."),
  reasoning: z.unknown(),
  store: z
    .boolean()
    .describe(
      "Whether later requests can continue and read it. Also false where it was too large, or could not be written.",
    ),
  temperature: z.unknown(),
  text: z.unknown(),
  tool_choice: z.unknown(),
  tools: z.array(z.unknown()),
  top_logprobs: z.unknown(),
  top_p: z.unknown(),
  truncation: z.literal("disabled"),
  user: z.unknown(),
});

export const responseEventSchema = z
  .looseObject({ type: z.string(), sequence_number: z.number() })
  .describe("`response.created` first, `response.completed`, `response.incomplete` or `response.failed` last.");

export type ResponseObject = z.infer<typeof responseSchema>;
export type MessageItem = z.infer<typeof messageItem>;
export type ReasoningItem = z.infer<typeof reasoningItem>;
export type FunctionCallItem = z.infer<typeof functionCallItem>;
export type CustomCallItem = z.infer<typeof customCallItem>;
export type OutputItem = z.infer<typeof item>;

/** The progress of an answer. */
interface ResponseState {
  readonly status: ResponseObject["status"];
  readonly output: readonly OutputItem[];
  readonly error?: NonNullable<ResponseObject["error"]>;
  readonly finish?: FinishPart["reason"] | undefined;
  readonly receipt?: Receipt;
  readonly kept: KeptFields;
}

/** The fields of a request that its response repeats. */
export const RESPONSE_ECHOED_FIELDS = [
  "instructions",
  "max_output_tokens",
  "metadata",
  "parallel_tool_calls",
  "previous_response_id",
  "reasoning",
  "temperature",
  "text",
  "tool_choice",
  "tools",
  "top_logprobs",
  "top_p",
  "user",
] as const;

/** The response at one moment. It repeats the settings of the request. */
export function toResponseObject(
  identity: ResponseIdentity,
  requestBody: Fields,
  responseState: ResponseState,
): ResponseObject {
  const { status, output, error, finish, receipt, kept } = responseState;
  return {
    id: identity.id,
    object: "response",
    created_at: identity.created,
    status,
    error: error ?? null,
    incomplete_details:
      status === "incomplete" ? { reason: finish === "refused" ? "content_filter" : "max_output_tokens" } : null,
    model: identity.model,
    output: [...output],
    usage: receipt === undefined ? null : toResponseUsage(receipt),
    ...(receipt === undefined ? {} : answeringModelsField(receipt)),
    instructions: requestBody.instructions ?? null,
    max_output_tokens: requestBody.max_output_tokens ?? null,
    metadata: requestBody.metadata ?? {},
    parallel_tool_calls: requestBody.parallel_tool_calls !== false,
    previous_response_id: requestBody.previous_response_id ?? null,
    conversation: kept.conversation,
    reasoning: requestBody.reasoning ?? { effort: null, summary: null },
    store: kept.store,
    temperature: requestBody.temperature ?? null,
    text: requestBody.text ?? { format: { type: "text" } },
    tool_choice: requestBody.tool_choice ?? "auto",
    tools: Array.isArray(requestBody.tools) ? requestBody.tools : [],
    top_logprobs: requestBody.top_logprobs ?? 0,
    top_p: requestBody.top_p ?? null,
    truncation: "disabled",
    user: requestBody.user ?? null,
  };
}

function toResponseUsage(receipt: Receipt): NonNullable<ResponseObject["usage"]> {
  return {
    input_tokens: receipt.inputTokens,
    input_tokens_details: { cached_tokens: receipt.cachedInputTokens },
    output_tokens: receipt.outputTokens,
    output_tokens_details: { reasoning_tokens: receipt.reasoningTokens },
    total_tokens: receipt.inputTokens + receipt.outputTokens,
    cost: toCredits(receipt.cost),
  };
}
