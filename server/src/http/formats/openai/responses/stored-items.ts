import { isItemId, type StoredItem } from "../../../../stored-responses/sealed-json.ts";
import type { Fields } from "../../../requests/fields.ts";
import { referredIdOf } from "./items.ts";

/** How the ids of items begin that have none of their own, by the type of the item. */
const ID_PREFIXES: Readonly<Record<string, string>> = {
  message: "msg",
  reasoning: "rs",
  function_call: "fc",
  function_call_output: "fco",
  custom_tool_call: "ctc",
  custom_tool_call_output: "ctco",
};

/**
 * The input of an accepted request as its items are kept and listed: each with an id and a type, its content as a list,
 * and in the place of a reference the item itself.
 */
export function toStoredItems(
  input: unknown,
  idOf: (prefix: string, index: number) => string,
  referredItems: ReadonlyMap<string, StoredItem>,
): StoredItem[] {
  const items: readonly unknown[] =
    typeof input === "string" ? [{ role: "user", content: input }] : Array.isArray(input) ? input : [];
  return items.map((item, index) => {
    const fields = item as Fields;
    const referred = referredItems.get(referredIdOf(fields) ?? "");
    if (referred !== undefined) return referred;
    const { id, type: givenType, ...others } = fields;
    const type = typeof givenType === "string" ? givenType : "message";
    return {
      id: typeof id === "string" && isItemId(id) ? id : idOf(ID_PREFIXES[type] ?? "item", index),
      type,
      ...(type === "message" ? { status: "completed" } : {}),
      ...others,
      ...(type === "message" && typeof others.content === "string"
        ? { content: [toTextPart(others.role, others.content)] }
        : {}),
    };
  });
}

function toTextPart(role: unknown, text: string) {
  return role === "assistant" ? { type: "output_text", text, annotations: [] } : { type: "input_text", text };
}
