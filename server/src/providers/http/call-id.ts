import { newId } from "../../kit/id.ts";

/** A name for a tool call whose provider gave it none: results are matched to their calls by it. */
export function newCallId(): string {
  return `call_${newId().replaceAll("-", "")}`;
}
