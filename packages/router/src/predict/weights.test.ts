import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { DOMAIN_FAMILIES } from "./domains.ts";
import { decodeRouterWeights, encodeRouterWeights } from "./weights.ts";

const bytes = readFileSync(new URL("./weights.bin", import.meta.url));

describe("the weights", () => {
  it("are of this version, and small", () => {
    const { domains } = decodeRouterWeights(bytes);
    expect(Object.fromEntries(domains.map(({ name, family }) => [name, family]))).toEqual(DOMAIN_FAMILIES);
    expect(bytes.length).toBeLessThan(1_000_000);
  });

  it("are the same bytes when written again", () => {
    expect(Buffer.compare(encodeRouterWeights(decodeRouterWeights(bytes)), bytes)).toBe(0);
  });

  it("are refused when they are something else, of another version or cut off", () => {
    expect(() => decodeRouterWeights(Buffer.from("something else"))).toThrow("no router weights");
    expect(() => decodeRouterWeights(bytes.subarray(0, bytes.length - 1))).toThrow("cut off");
    const other = Buffer.from(bytes);
    other.write('"version":9', other.indexOf('"version":'));
    expect(() => decodeRouterWeights(other)).toThrow("npm run router:train");
  });

  it("have outcomes of a model in all domains of a family or in none", () => {
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
