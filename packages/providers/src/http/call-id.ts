import { newId } from "@trunkline/core/id.ts";

/** A name for a tool call whose provider gave it none: results are matched to their calls by it. */
export function newToolCallId(): string {
  return `call_${newId().replaceAll("-", "")}`;
}

/** Whether an id is of our making: then its provider does not know it. */
export function isGeneratedToolCallId(id: string): boolean {
  return /^call_[0-9a-f]{32}$/.test(id);
}
