import { readFileSync } from "node:fs";
import { createSeededRandom, randomBetween } from "@trunkline/core/random.ts";
import { describe, expect, it } from "vitest";
import { readRouterWeights } from "./bundled-weights.ts";
import { DOMAIN_FAMILIES } from "./domains.ts";
import { decodeRouterWeights, encodeRouterWeights, PackedWeightTable } from "./router-weights.ts";

describe("router weights", () => {
  const bytes = readFileSync(new URL("./weights.bin", import.meta.url));

  describe("decodeRouterWeights", () => {
    it("reads the shipped weights, which are small", () => {
      const { domains } = decodeRouterWeights(bytes);
      expect(Object.fromEntries(domains.map(({ name, family }) => [name, family]))).toEqual(DOMAIN_FAMILIES);
      expect(bytes.length).toBeLessThan(1_000_000);
    });

    it("gives the same bytes when encoded again", () => {
      expect(Buffer.compare(encodeRouterWeights(decodeRouterWeights(bytes)), bytes)).toBe(0);
    });

    it("refuses other files, other versions and truncated files", () => {
      expect(() => decodeRouterWeights(Buffer.from("something else"))).toThrow("no router weights");
      expect(() => decodeRouterWeights(bytes.subarray(0, bytes.length - 1))).toThrow("cut off");
      const other = Buffer.from(bytes);
      other.write('"version":9', other.indexOf('"version":'));
      expect(() => decodeRouterWeights(other)).toThrow("npm run router:train");
    });

    it("has outcomes of a model in all domains of a family or in none", () => {
      const { domains, models, abilities } = decodeRouterWeights(bytes);
      models.forEach((_, model) => {
        const known = new Map<string, Set<boolean>>();
        domains.forEach(({ family }, domain) => {
          const isKnown = !Number.isNaN(abilities[model * domains.length + domain]);
          known.set(family, (known.get(family) ?? new Set()).add(isKnown));
        });
        for (const both of known.values()) expect(both.size).toBe(1);
      });
    });
  });
});

describe("row sums", () => {
  const random = createSeededRandom("rows");

  function plainSums(table: Int8Array, columns: number, rows: readonly number[]): number[] {
    return Array.from({ length: columns }, (_, column) =>
      rows.reduce((sum, row) => sum + (table[row * columns + column] ?? 0), 0),
    );
  }

  function sumsOf(table: Int8Array, columns: number, rows: readonly number[]): number[] {
    return [...new PackedWeightTable(table, columns).sumRows(Uint16Array.from(rows), rows.length)].slice(0, columns);
  }

  describe("the sums of rows", () => {
    it.each([1, 4, 11, 12, 13, 46])("equal a plain sum, with %i columns", (columns) => {
      const table = Int8Array.from({ length: 300 * columns }, () => Math.round(randomBetween(random, -128, 127)));
      for (const size of [0, 1, 255, 256, 257, 1_700]) {
        const rows = Array.from({ length: size }, () => Math.floor(randomBetween(random, 0, 300)));
        expect(sumsOf(table, columns, rows)).toEqual(plainSums(table, columns, rows));
      }
    });

    it.each([-128, 127])("are exact where every weight is %i", (weight) => {
      const table = new Int8Array(5).fill(weight);
      expect(sumsOf(table, 5, Array(6_800).fill(0))).toEqual(Array(5).fill(6_800 * weight));
    });

    it("are the same in the shipped table", () => {
      const { table, domains, families } = readRouterWeights();
      const columns = domains.length + families.length;
      const rows = Array.from({ length: 900 }, () => Math.floor(randomBetween(random, 0, table.length / columns)));
      expect(sumsOf(table, columns, rows)).toEqual(plainSums(table, columns, rows));
    });

    it("do not include rows of an earlier call", () => {
      const sums = new PackedWeightTable(Int8Array.of(1, -2, 3, -4), 2);
      expect([...sums.sumRows(Uint16Array.of(0, 1), 2)].slice(0, 2)).toEqual([4, -6]);
      expect([...sums.sumRows(Uint16Array.of(1, 0), 1)].slice(0, 2)).toEqual([3, -4]);
    });
  });
});
