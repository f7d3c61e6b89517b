import { Fault } from "@trunkline/core/fault.ts";
import { z } from "zod";
import { requireCursor } from "../../responses/list-response.ts";

/** The query of a list in Anthropic's form: the page after an id, or the one before it. */
export function anthropicListQuery(limitMax: number) {
  return z.object({
    limit: z.coerce.number().int().min(1).max(limitMax).default(20),
    after_id: z.string().optional().describe("`last_id` of the page before."),
    before_id: z.string().optional().describe("`first_id` of the page after, for a list that is read backwards."),
  });
}
type ListQuery = z.output<ReturnType<typeof anthropicListQuery>>;

export const anthropicListSchema = <Item extends z.ZodType>(item: Item) =>
  z.object({
    data: z.array(item),
    has_more: z.boolean().describe("In the direction in which the list is read."),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
  });

/** Where the page is, by the store's ids. */
export function readListPlace(
  { after_id: after, before_id: before }: Pick<ListQuery, "after_id" | "before_id">,
  parseId: (id: string) => string,
) {
  if (after !== undefined && before !== undefined)
    throw new Fault("invalid_request", "Send `after_id` or `before_id`, not both.", { param: "before_id" });
  return {
    after: after === undefined ? undefined : requireCursor(parseId(after), "after_id"),
    before: before === undefined ? undefined : requireCursor(parseId(before), "before_id"),
  };
}

/** One page. `items` holds one more than the limit, at the far end, where there are more pages. */
export function toAnthropicList<Item>(
  items: readonly Item[],
  { limit, before_id: before }: Pick<ListQuery, "limit" | "before_id">,
  idOf: (item: Item) => string,
) {
  const data = before === undefined ? items.slice(0, limit) : items.slice(-limit);
  const [first, last] = [data.at(0), data.at(-1)];
  return {
    data,
    has_more: items.length > limit,
    first_id: first === undefined ? null : idOf(first),
    last_id: last === undefined ? null : idOf(last),
  };
}
