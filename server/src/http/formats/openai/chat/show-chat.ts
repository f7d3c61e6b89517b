import type { FinishPart, ToolCallPart } from "@trunkline/core/answer.ts";
import type { z } from "zod";
import type { WholeAnswer } from "../../../endpoints/endpoint.ts";
import { type Choice, collectChoices } from "../collect-choices.ts";
import { identifyAnswer } from "../identify-answer.ts";
import { showUsage } from "../show-usage.ts";
import type { completionShown, FINISH_REASONS } from "./chat-shown.ts";

type FinishReason = (typeof FINISH_REASONS)[number];
type ShownChoice = z.infer<typeof completionShown>["choices"][number];

const FINISH_WORDS: Readonly<Record<FinishPart["reason"], FinishReason>> = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool_calls",
  refused: "content_filter",
  unknown: "stop",
};

/** A whole answer of `chat/completions`. */
export function showChat({ parts, receipt, journal, asked }: WholeAnswer): z.infer<typeof completionShown> {
  const callsAsFunctions = asksForFunctions(asked);
  return {
    ...identifyAnswer("chatcmpl", journal, receipt),
    object: "chat.completion",
    system_fingerprint: null,
    choices: collectChoices(parts).map((choice) => showChoice(choice, callsAsFunctions)),
    usage: showUsage(receipt),
  };
}

function showChoice(choice: Choice, callsAsFunctions: boolean): ShownChoice {
  const { index, text, thoughts, calls, logprobs, finish } = choice;
  const [call] = calls;
  return {
    index,
    message: {
      role: "assistant",
      content: text === "" && calls.length > 0 ? null : text,
      refusal: null,
      ...(thoughts === "" ? {} : { reasoning_content: thoughts }),
      ...(call === undefined || callsAsFunctions ? {} : { tool_calls: calls.map(showCall) }),
      ...(call === undefined || !callsAsFunctions ? {} : { function_call: showFunction(call) }),
    },
    logprobs: logprobs === undefined ? null : { content: [...logprobs], refusal: null },
    finish_reason: finishReasonOf(finish, calls.length > 0, callsAsFunctions),
  };
}

/** Whether a request calls its tools functions, in the old form: it then expects its calls in that form, too. */
export function asksForFunctions(asked: unknown): boolean {
  if (typeof asked !== "object" || asked === null) return false;
  const isThere = (name: string) => Array.isArray(Reflect.get(asked, name));
  return isThere("functions") && !isThere("tools");
}

export function showCall(call: ToolCallPart) {
  return {
    id: call.id,
    type: "function" as const,
    function: showFunction(call),
    ...(call.signature === undefined
      ? {}
      : { extra_content: { google: { thought_signature: call.signature } } }),
  };
}

export function showFunction(call: ToolCallPart) {
  return { name: call.name, arguments: call.arguments };
}

/** Providers differ in what they say when they called a tool; clients look here for whether to run one. */
export function finishReasonOf(
  reason: FinishPart["reason"],
  hasCalled: boolean,
  callsAsFunctions: boolean,
): FinishReason {
  const word = hasCalled && (reason === "stop" || reason === "unknown") ? "tool_calls" : FINISH_WORDS[reason];
  return word === "tool_calls" && callsAsFunctions ? "function_call" : word;
}
