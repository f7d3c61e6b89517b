import { createSeededRandom, randomBetween } from "@trunkline/core/random.ts";
import { describe, expect, it } from "vitest";
import { readRouterWeights } from "./bundled-weights.ts";
import { PackedWeightTable } from "./row-sums.ts";

const random = createSeededRandom("rows");

function plainSums(table: Int8Array, columns: number, rows: readonly number[]): number[] {
  return Array.from({ length: columns }, (_, column) =>
    rows.reduce((sum, row) => sum + (table[row * columns + column] ?? 0), 0),
  );
}

function sumsOf(table: Int8Array, columns: number, rows: readonly number[]): number[] {
  return [...new PackedWeightTable(table, columns).sumRows(Uint16Array.from(rows), rows.length)].slice(
    0,
    columns,
  );
}

describe("the sums of rows", () => {
  it.each([1, 4, 11, 12, 13, 46])("are those of adding number by number, with %i columns", (columns) => {
    const table = Int8Array.from({ length: 300 * columns }, () =>
      Math.round(randomBetween(random, -128, 127)),
    );
    for (const size of [0, 1, 255, 256, 257, 1_700]) {
      const rows = Array.from({ length: size }, () => Math.floor(randomBetween(random, 0, 300)));
      expect(sumsOf(table, columns, rows)).toEqual(plainSums(table, columns, rows));
    }
  });

  it.each([-128, 127])("are exact where every weight is %i", (weight) => {
    const table = new Int8Array(5).fill(weight);
    expect(sumsOf(table, 5, Array(6_800).fill(0))).toEqual(Array(5).fill(6_800 * weight));
  });

  it("are the same in the table that requests are read by", () => {
    const { table, domains, families } = readRouterWeights();
    const columns = domains.length + families.length;
    const rows = Array.from({ length: 900 }, () =>
      Math.floor(randomBetween(random, 0, table.length / columns)),
    );
    expect(sumsOf(table, columns, rows)).toEqual(plainSums(table, columns, rows));
  });

  it("are of the rows of one time alone", () => {
    const sums = new PackedWeightTable(Int8Array.of(1, -2, 3, -4), 2);
    expect([...sums.sumRows(Uint16Array.of(0, 1), 2)].slice(0, 2)).toEqual([4, -6]);
    expect([...sums.sumRows(Uint16Array.of(1, 0), 1)].slice(0, 2)).toEqual([3, -4]);
  });
});
