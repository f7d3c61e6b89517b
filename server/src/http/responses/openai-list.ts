import { z } from "zod";

/** A list in OpenAI's form: it goes on after the id of its last entry. */
export const openAiListSchema = <Item extends z.ZodType>(item: Item) =>
  z.object({
    object: z.literal("list"),
    data: z.array(item),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  });

export function openAiListQuery(most: number, usual: number) {
  return z.object({
    after: z.string().max(64).optional().describe("The id of the last entry of the page before."),
    limit: z.coerce.number().int().min(1).max(most).default(usual),
  });
}

/** A page of it; `items` is one more than asked for where there are more. */
export function toOpenAiList<Item extends { readonly id: string }>(items: readonly Item[], limit: number) {
  const data = items.slice(0, limit);
  return {
    object: "list" as const,
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: items.length > limit,
  };
}
