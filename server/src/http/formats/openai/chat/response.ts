import { JsonText } from "@trunkline/core/json-text.ts";
import type { FinishPart, ToolCallPart } from "@trunkline/core/parts.ts";
import { z } from "zod";
import { Reply, type WholeAnswer } from "../../../endpoints/endpoint.ts";
import type { Fields } from "../../../requests/fields.ts";
import { reasoningNameFor } from "../openrouter-fields.ts";
import { type Choice, collectChoices, identifyResponse, usageSchema, writeUsage } from "../response-parts.ts";
import { type ToolForm, toCustomInput, toolFormsOf } from "../tool-forms.ts";

/** The answers of `chat/completions`, for the OpenAPI document. */
const FINISH_REASONS = ["stop", "length", "tool_calls", "content_filter", "function_call"] as const;

const call = z.object({ name: z.string(), arguments: z.string().describe("JSON.") });

const callIdentity = {
  id: z.string(),
  extra_content: z
    .object({ google: z.object({ thought_signature: z.string() }) })
    .optional()
    .describe("Send it back with the call: Gemini knows its own calls again by it."),
};
const functionToolCall = z.object({ ...callIdentity, type: z.literal("function"), function: call });
const customToolCall = z.object({
  ...callIdentity,
  type: z.literal("custom"),
  custom: z.object({ name: z.string(), input: z.string() }),
});

const logprobs = z
  .object({ content: z.array(z.unknown()), refusal: z.null() })
  .nullable()
  .describe("In OpenAI's form, where `logprobs` was true and the provider tells them.");

const identity = {
  id: z.string(),
  created: z.number().describe("In seconds since 1970."),
  model: z.string().describe("`provider/name` of the model that answered."),
  system_fingerprint: z.null(),
};

export const chatResponseSchema = z.object({
  ...identity,
  object: z.literal("chat.completion"),
  choices: z.array(
    z.object({
      index: z.number(),
      message: z.object({
        role: z.literal("assistant"),
        content: z.string().nullable(),
        refusal: z.null(),
        reasoning_content: z.string().optional().describe("What the model thought, where its provider tells."),
        reasoning: z.string().optional().describe("The same, where the request has `reasoning`."),
        tool_calls: z.array(z.union([functionToolCall, customToolCall])).optional(),
        function_call: call.optional(),
      }),
      logprobs,
      finish_reason: z.enum(FINISH_REASONS),
    }),
  ),
  usage: usageSchema,
});

export const chatChunkSchema = z.object({
  ...identity,
  object: z.literal("chat.completion.chunk"),
  choices: z.array(
    z.object({
      index: z.number(),
      delta: z.object({
        role: z.literal("assistant").optional(),
        content: z.string().optional(),
        reasoning_content: z.string().optional(),
        reasoning: z.string().optional(),
        tool_calls: z
          .array(
            z.union([functionToolCall.extend({ index: z.number() }), customToolCall.extend({ index: z.number() })]),
          )
          .optional(),
        function_call: call.optional(),
      }),
      logprobs,
      finish_reason: z.enum(FINISH_REASONS).nullable(),
    }),
  ),
  usage: usageSchema.nullable().optional(),
});

type FinishReason = (typeof FINISH_REASONS)[number];

const FINISH_REASON_OF: Readonly<Record<FinishPart["reason"], FinishReason>> = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool_calls",
  refused: "content_filter",
  unknown: "stop",
};

/** What follows the text of a choice that has nothing else. */
const END_OF_TEXT_CHOICE = Object.fromEntries(
  FINISH_REASONS.map((reason) => [reason, `","refusal":null},"logprobs":null,"finish_reason":"${reason}"}`]),
) as Readonly<Record<FinishReason, string>>;

/**
 * A whole answer of `chat/completions`, as `chatResponseSchema` describes it. It is the answer that is given most often,
 * so its JSON is written here instead of objects that are serialised afterwards.
 */
export function toChatResponse({ parts, receipt, trace, requestBody }: WholeAnswer): Reply {
  const callsAsFunctions = usesLegacyFunctions(requestBody);
  const { id, created, model } = identifyResponse("chatcmpl", trace, receipt);
  const json = new JsonText();
  json.addAscii(`{"id":"${id}`);
  json.add(identityEnd(created, model));
  const choices = collectChoices(parts);
  for (let place = 0; place < choices.length; place++) {
    if (place > 0) json.addAscii(",");
    addChoice(json, choices[place] as Choice, callsAsFunctions, requestBody);
  }
  json.addAscii(writeUsage(receipt, '],"usage":{"prompt_tokens":', "}}"));
  return Reply.ofJson(json);
}

let lastCreated = Number.NaN;
let lastModel = "";
let lastIdentityEnd = "";

/** What follows the id, up to the choices. The answers of a model in one second share it. */
function identityEnd(created: number, model: string): string {
  if (created !== lastCreated || model !== lastModel) {
    lastIdentityEnd = `","created":${created},"model":${JSON.stringify(model)},"object":"chat.completion","system_fingerprint":null,"choices":[`;
    lastCreated = created;
    lastModel = model;
  }
  return lastIdentityEnd;
}

const START_OF_FIRST_CHOICE = startOfChoice(0);

/** A choice up to its content. */
function startOfChoice(index: number): string {
  return `{"index":${index},"message":{"role":"assistant","content":`;
}

/** The same up to the text of its content. */
const START_OF_FIRST_TEXT = `${START_OF_FIRST_CHOICE}"`;

function addChoice(json: JsonText, choice: Choice, callsAsFunctions: boolean, requestBody: unknown): void {
  const { index, text, thoughts, calls, logprobs, finish } = choice;
  const call = calls[0];
  const start = index === 0 ? START_OF_FIRST_CHOICE : startOfChoice(index);
  const textStart = index === 0 ? START_OF_FIRST_TEXT : `${start}"`;
  const reason = toFinishReason(finish, call !== undefined, callsAsFunctions);
  // Most choices are a text alone.
  if (call === undefined && thoughts === "" && logprobs === undefined) {
    json.addString(textStart, text, END_OF_TEXT_CHOICE[reason]);
    return;
  }
  if (text === "" && call !== undefined) json.addAscii(`${start}null,"refusal":null`);
  else json.addString(textStart, text, '","refusal":null');
  const reasoningName = thoughts === "" ? undefined : reasoningNameFor(requestBody);
  if (reasoningName !== undefined) json.addString(`,"${reasoningName}":"`, thoughts, '"');
  if (call !== undefined && callsAsFunctions) json.add(`,"function_call":${JSON.stringify(toFunctionCall(call))}`);
  else if (call !== undefined) {
    const toolForms = toolFormsOf(requestBody, "inside");
    const shown = calls.map((one) => toToolCall(one, toolForms.get(one.name)));
    json.add(`,"tool_calls":${JSON.stringify(shown)}`);
  }
  json.addAscii('},"logprobs":');
  if (logprobs === undefined) json.addAscii("null");
  else json.add(`{"content":${JSON.stringify(logprobs)},"refusal":null}`);
  json.addAscii(`,"finish_reason":"${reason}"}`);
}

/** Whether a request defines its tools as functions, in the old form. It then expects calls in that form, too. */
export function usesLegacyFunctions(requestBody: unknown): boolean {
  if (typeof requestBody !== "object" || requestBody === null) return false;
  const { functions, tools } = requestBody as Fields;
  return Array.isArray(functions) && !Array.isArray(tools);
}

/** A call as the client has defined the tool: `toolForm`, where that is not a plain function. */
export function toToolCall(call: ToolCallPart, toolForm: ToolForm | undefined) {
  return {
    id: call.id,
    ...(toolForm?.isCustom === true
      ? { type: "custom" as const, custom: { name: call.name, input: toCustomInput(call.arguments) } }
      : { type: "function" as const, function: toFunctionCall(call) }),
    ...(call.signature === undefined ? {} : { extra_content: { google: { thought_signature: call.signature } } }),
  };
}

export function toFunctionCall(call: ToolCallPart) {
  return { name: call.name, arguments: call.arguments };
}

/** Providers give different reasons after a tool call, but clients decide by this one whether to run a tool. */
export function toFinishReason(
  reason: FinishPart["reason"],
  hasCalled: boolean,
  callsAsFunctions: boolean,
): FinishReason {
  const word = hasCalled && (reason === "stop" || reason === "unknown") ? "tool_calls" : FINISH_REASON_OF[reason];
  return word === "tool_calls" && callsAsFunctions ? "function_call" : word;
}
