import { createSeededRandom, randomBetween } from "@trunkline/core/random.ts";
import { describe, expect, it } from "vitest";
import { readRouterWeights } from "./bundled-weights.ts";
import { createVectorRowSums, PackedRowSums, type RowSums, rowSumsOf } from "./row-sums.ts";

const ROWS_MAX = 7_000;
const random = createSeededRandom("rows");

function plainSums(table: Int8Array, columns: number, rows: readonly number[]): number[] {
  return Array.from({ length: columns }, (_, column) =>
    rows.reduce((sum, row) => sum + (table[row * columns + column] ?? 0), 0),
  );
}

function sumsOf(rowSums: RowSums, columns: number, rows: readonly number[], from = 0): number[] {
  rowSums.rows.set(rows, from);
  return [...rowSums.sum(from, from + rows.length)].slice(0, columns);
}

describe.each<[string, (table: Int8Array, columns: number) => RowSums]>([
  ["packed", (table, columns) => new PackedRowSums(table, columns, ROWS_MAX)],
  [
    "with vectors",
    (table, columns) => createVectorRowSums(table, columns, ROWS_MAX) ?? new PackedRowSums(table, columns, ROWS_MAX),
  ],
])("the sums of rows, %s", (_, create) => {
  it.each([1, 4, 11, 12, 13, 16, 46, 130])("equal a plain sum, with %i columns", (columns) => {
    const table = Int8Array.from({ length: 300 * columns }, () => Math.round(randomBetween(random, -128, 127)));
    const rowSums = create(table, columns);
    for (const size of [0, 1, 255, 256, 257, 1_700]) {
      const rows = Array.from({ length: size }, () => Math.floor(randomBetween(random, 0, 300)));
      expect(sumsOf(rowSums, columns, rows)).toEqual(plainSums(table, columns, rows));
      expect(sumsOf(rowSums, columns, rows, 9)).toEqual(plainSums(table, columns, rows));
    }
  });

  it.each([-128, 127])("are exact where every weight is %i", (weight) => {
    const table = new Int8Array(5).fill(weight);
    expect(sumsOf(create(table, 5), 5, Array(6_800).fill(0))).toEqual(Array(5).fill(6_800 * weight));
  });

  it("are the same in the shipped table", () => {
    const { table, domains, families } = readRouterWeights();
    const columns = domains.length + families.length;
    const rows = Array.from({ length: 900 }, () => Math.floor(randomBetween(random, 0, table.length / columns)));
    expect(sumsOf(create(table, columns), columns, rows)).toEqual(plainSums(table, columns, rows));
  });

  it("do not include rows of an earlier call", () => {
    const sums = create(Int8Array.of(1, -2, 3, -4), 2);
    expect(sumsOf(sums, 2, [0, 1])).toEqual([4, -6]);
    expect(sumsOf(sums, 2, [1])).toEqual([3, -4]);
  });
});

describe("rowSumsOf", () => {
  it("prepares a table once", () => {
    const table = Int8Array.of(1, 2);
    expect(rowSumsOf(table, 2, 10)).toBe(rowSumsOf(table, 2, 10));
  });

  it("uses vectors where there are any", () => {
    expect(createVectorRowSums(Int8Array.of(1, 2), 2, 10)).toBeDefined();
  });
});
