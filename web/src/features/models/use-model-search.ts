import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { MOST_COMPARED, type ModelSearch, readModelSearch } from "./model-filters.ts";

/** A change of what is shown; undefined takes a filter away. */
export type SearchChange = { readonly [Name in keyof ModelSearch]?: ModelSearch[Name] | undefined };

/** What the page's address asks for, and how to change it. */
export function useModelSearch() {
  const raw: Record<string, unknown> = useSearch({ strict: false });
  const search = useMemo(() => readModelSearch(raw), [raw]);
  const navigate = useNavigate();

  function go(next: (before: ModelSearch) => SearchChange, isStep: boolean) {
    void navigate({
      to: "/models",
      search: (before) => readModelSearch(next(readModelSearch(before))),
      replace: !isStep,
      resetScroll: isStep,
    });
  }

  return {
    search,
    compared: search.compare ?? [],
    canCompareMore: (search.compare ?? []).length < MOST_COMPARED,
    /** Filters replace each other in the history; views are steps that the back button goes back. */
    change(changes: SearchChange, { isStep = false } = {}) {
      go((before) => ({ ...before, ...changes }), isStep);
    },
    /** Goes by the address as it is then, so that a row may keep an old copy of this. */
    toggleCompared(name: string) {
      go((before) => {
        const compared = before.compare ?? [];
        const rest = compared.filter((other) => other !== name);
        return { ...before, compare: rest.length === compared.length ? [...compared, name] : rest };
      }, false);
    },
  };
}

export type ModelSearchState = ReturnType<typeof useModelSearch>;
