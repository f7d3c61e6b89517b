import { describe, expect, it } from "vitest";
import { filtersOf, readRequestSearch, searchOf } from "./request-search.ts";

const ID = "01890000-0000-7000-8000-000000000000";

describe("the address of a search", () => {
  it("is read as it was written, numbers as numbers", () => {
    const filters = {
      status: "502",
      model: "acme/large",
      min_cost: "0.000000001",
      min_latency_ms: "1500",
      feedback: "bad" as const,
      tag: "team=search",
      text: "hello world",
      from: "2026-01-01T00:00:00.000Z",
      id: ID,
    };
    const search = searchOf(filters);
    expect(search).toMatchObject({ status: 502, min_latency_ms: 1500, min_cost: 1e-9, model: "acme/large" });
    expect(filtersOf(search)).toEqual(filters);
    expect(readRequestSearch({ ...search })).toEqual(search);
  });

  it("keeps a name that looks like a number as it was written", () => {
    for (const task of ["007", "1e3", "12"]) expect(filtersOf(searchOf({ task }))).toEqual({ task });
  });

  it("leaves out what cannot be searched", () => {
    const broken = {
      status: "fine",
      feedback: "so-so",
      key: "mine",
      min_cost: -1,
      from: "yesterday",
      id: 7,
      error_type: "Oops",
      more: 1,
    };
    expect(readRequestSearch(broken)).toEqual({});
  });
});
