/** The empty list that all share until there is something to add. */
export const NONE: readonly never[] = [];

/**
 * Adds to a list that may be `NONE`. Most such lists stay empty or get one item, and an array that grows from nothing takes
 * room for seventeen.
 */
export function withAdded<Item>(list: readonly Item[], item: Item): readonly Item[] {
  if (list === NONE) return [item];
  (list as Item[]).push(item);
  return list;
}
