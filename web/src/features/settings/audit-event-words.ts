import { texts } from "../../texts/texts.ts";

/** An action of the audit log as people say it: `key.create` is "API key created". What is not known stays as it is. */
export function wordsOf(action: string): string {
  const { actions } = texts.audit;
  return (Object.hasOwn(actions, action) ? actions[action] : undefined) ?? action;
}

/** What entries can be narrowed to: the beginning of their actions. */
export const ACTION_GROUPS = Object.entries(texts.audit.groups).map(([value, label]) => ({ value, label }));

/** A detail as text: lists by commas, anything deeper as it came. */
export function detailText(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? texts.audit.entry.yes : texts.audit.entry.no;
  if (value === null || value === undefined) return texts.audit.entry.none;
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value.join(", ");
  return JSON.stringify(value);
}
