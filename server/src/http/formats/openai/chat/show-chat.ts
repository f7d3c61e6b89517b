import type { FinishPart, ToolCallPart } from "@trunkline/core/answer.ts";
import type { z } from "zod";
import type { CollectedAnswer } from "../../../endpoints/endpoint.ts";
import { type Choice, collectChoices } from "../collect-choices.ts";
import { identifyResponse } from "../identify-answer.ts";
import { toUsage } from "../show-usage.ts";
import type { chatResponseSchema, FINISH_REASONS } from "./chat-shown.ts";

type FinishReason = (typeof FINISH_REASONS)[number];
type ResponseChoice = z.infer<typeof chatResponseSchema>["choices"][number];

const FINISH_REASON_OF: Readonly<Record<FinishPart["reason"], FinishReason>> = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool_calls",
  refused: "content_filter",
  unknown: "stop",
};

/** A whole answer of `chat/completions`. */
export function toChatResponse({
  parts,
  receipt,
  trace: requestTrace,
  requestBody: asked,
}: CollectedAnswer): z.infer<typeof chatResponseSchema> {
  const callsAsFunctions = usesLegacyFunctions(asked);
  return {
    ...identifyResponse("chatcmpl", requestTrace, receipt),
    object: "chat.completion",
    system_fingerprint: null,
    choices: collectChoices(parts).map((choice) => toResponseChoice(choice, callsAsFunctions)),
    usage: toUsage(receipt),
  };
}

function toResponseChoice(choice: Choice, callsAsFunctions: boolean): ResponseChoice {
  const { index, text, thoughts, calls, logprobs, finish } = choice;
  const [call] = calls;
  return {
    index,
    message: {
      role: "assistant",
      content: text === "" && calls.length > 0 ? null : text,
      refusal: null,
      ...(thoughts === "" ? {} : { reasoning_content: thoughts }),
      ...(call === undefined || callsAsFunctions ? {} : { tool_calls: calls.map(toToolCall) }),
      ...(call === undefined || !callsAsFunctions ? {} : { function_call: toFunctionCall(call) }),
    },
    logprobs: logprobs === undefined ? null : { content: [...logprobs], refusal: null },
    finish_reason: toFinishReason(finish, calls.length > 0, callsAsFunctions),
  };
}

/** Whether a request calls its tools functions, in the old form: it then expects its calls in that form, too. */
export function usesLegacyFunctions(asked: unknown): boolean {
  if (typeof asked !== "object" || asked === null) return false;
  const isThere = (name: string) => Array.isArray(Reflect.get(asked, name));
  return isThere("functions") && !isThere("tools");
}

export function toToolCall(call: ToolCallPart) {
  return {
    id: call.id,
    type: "function" as const,
    function: toFunctionCall(call),
    ...(call.signature === undefined
      ? {}
      : { extra_content: { google: { thought_signature: call.signature } } }),
  };
}

export function toFunctionCall(call: ToolCallPart) {
  return { name: call.name, arguments: call.arguments };
}

/** Providers differ in what they say when they called a tool; clients look here for whether to run one. */
export function toFinishReason(
  reason: FinishPart["reason"],
  hasCalled: boolean,
  callsAsFunctions: boolean,
): FinishReason {
  const word =
    hasCalled && (reason === "stop" || reason === "unknown") ? "tool_calls" : FINISH_REASON_OF[reason];
  return word === "tool_calls" && callsAsFunctions ? "function_call" : word;
}
