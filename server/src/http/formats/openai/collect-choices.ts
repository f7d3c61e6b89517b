import type { FinishPart, Part, ToolCallPart } from "@trunkline/core/answer.ts";

/** One of the answers to a request, whole. */
export interface Choice {
  readonly index: number;
  text: string;
  thoughts: string;
  readonly calls: ToolCallPart[];
  logprobs: readonly unknown[] | undefined;
  finish: FinishPart["reason"];
}

/** The parts of an answer put together, choice by choice. There is always at least one. */
export function collectChoices(parts: readonly Part[]): Choice[] {
  const choices = new Map([[0, emptyChoice(0)]]);
  for (const part of parts) {
    const index = ("choice" in part ? part.choice : undefined) ?? 0;
    const choice = choices.get(index) ?? emptyChoice(index);
    choices.set(index, choice);
    if (part.type === "text") choice.text += part.text;
    else if (part.type === "thinking") choice.thoughts += part.text;
    else if (part.type === "tool-call") choice.calls.push(part);
    else if (part.type === "logprobs") choice.logprobs = part.content;
    else if (part.type === "finish") choice.finish = part.reason;
  }
  return [...choices.values()].toSorted((one, other) => one.index - other.index);
}

function emptyChoice(index: number): Choice {
  return { index, text: "", thoughts: "", calls: [], logprobs: undefined, finish: "unknown" };
}
