import { expect, it } from "vitest";
import { DIRECT_ENDPOINTS } from "./direct-endpoints.ts";
import { ALL_ENDPOINTS } from "./endpoint-registry.ts";

it("has every operation that answers at a path without parameters", () => {
  const paths = ALL_ENDPOINTS.filter(({ kind, path }) => kind === "inference" && !/[:*]/.test(path));
  expect(DIRECT_ENDPOINTS.map(({ path }) => path).toSorted()).toEqual(paths.map(({ path }) => path).toSorted());
});
