import { Fault } from "@trunkline/core/fault.ts";
import { isId } from "@trunkline/core/id.ts";
import { z } from "zod";

/** The query of every list of ours. */
export const pageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  cursor: z.string().optional().describe("`next_cursor` of the page before."),
});

/** The form of every list of ours. */
export function pageResponseSchema(item: z.ZodType) {
  return z.object({ data: z.array(item), next_cursor: z.string().nullable() });
}

/** One page of what is listed by its ids. */
export async function listPage<Item extends { readonly id: string }>(
  query: z.output<typeof pageQuery>,
  fetch: (limit: number, cursor: string | undefined) => Promise<Item[]>,
  show: (item: Item) => unknown,
  isCursor: (text: string) => boolean = isId,
) {
  if (query.cursor !== undefined && !isCursor(query.cursor)) throw invalidCursorFault();
  return toPage(await fetch(query.limit + 1, query.cursor), query.limit, show, ({ id }) => id);
}

/** One page: one more than asked for was fetched, so that the last page knows that it is the last. */
export function toPage<Item>(
  items: readonly Item[],
  limit: number,
  show: (item: Item) => unknown,
  cursorOf: (item: Item) => string,
) {
  const page = items.slice(0, limit);
  const last = page.at(-1);
  return {
    data: page.map(show),
    next_cursor: items.length > limit && last !== undefined ? cursorOf(last) : null,
  };
}

export function invalidCursorFault(): Fault {
  return new Fault("invalid_request", "`cursor` must be the `next_cursor` of an earlier page.", {
    param: "cursor",
  });
}
