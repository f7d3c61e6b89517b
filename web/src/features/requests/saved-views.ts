import { filtersOf, type RequestFilters } from "./request-search.ts";

/** Filters under a name, kept in this browser. */
export interface SavedView {
  readonly name: string;
  readonly filters: RequestFilters;
}

const VIEWS_MAX = 20;
const NAME_MAX = 60;

const placeOf = (accountId: string) => `request-views:${accountId}`;

/** The views of an organisation. What can't be read is left out. */
export function readViews(accountId: string, storage: Pick<Storage, "getItem"> = localStorage): readonly SavedView[] {
  try {
    const stored: unknown = JSON.parse(storage.getItem(placeOf(accountId)) ?? "[]");
    if (!Array.isArray(stored)) return [];
    return stored.flatMap((entry: unknown) => {
      const { name, filters } = (entry ?? {}) as { name?: unknown; filters?: unknown };
      if (typeof name !== "string" || name === "" || typeof filters !== "object" || filters === null) return [];
      return [{ name: name.slice(0, NAME_MAX), filters: filtersOf(filters as Record<string, unknown>) }];
    });
  } catch {
    // Storage can be forbidden or damaged.
    return [];
  }
}

/** The views with one more, the newest first. One of the same name is replaced. */
export function withView(views: readonly SavedView[], view: SavedView): readonly SavedView[] {
  const name = view.name.trim().slice(0, NAME_MAX);
  return [{ ...view, name }, ...views.filter((other) => other.name !== name)].slice(0, VIEWS_MAX);
}

export function writeViews(
  accountId: string,
  views: readonly SavedView[],
  storage: Pick<Storage, "setItem"> = localStorage,
): void {
  try {
    storage.setItem(placeOf(accountId), JSON.stringify(views));
  } catch {
    // Storage can be forbidden or full: the views last until the page is left.
  }
}
