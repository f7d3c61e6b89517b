import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { DOMAIN_FAMILIES } from "./domains.ts";
import { decodeRouterWeights, encodeRouterWeights } from "./router-weights.ts";

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
