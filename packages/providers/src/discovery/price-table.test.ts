import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type Provider, waitForUpdate } from "@pydantic/genai-prices";
import { describe, expect, it } from "vitest";
import { makePriceTable } from "../../../../scripts/make-price-table.ts";
import { PRICE_SOURCE, PRICED_PROVIDERS, type PriceRow } from "./price-table.ts";

const installed = JSON.parse(
  readFileSync(
    join(dirname(createRequire(import.meta.url).resolve("@pydantic/genai-prices")), "../package.json"),
    "utf8",
  ),
);

const PROVIDERS = PRICED_PROVIDERS.map(({ id }) => id);

/** The row of an invented OpenAI model with these prices. */
async function rowWith(prices: unknown, more: object = {}, asOf = "2026-06-15"): Promise<PriceRow | undefined> {
  const real = (await waitForUpdate()) ?? [];
  const providers = real.map((provider) =>
    provider.id === "openai"
      ? ({
          ...provider,
          models: [{ id: "made-up", match: { equals: "made-up" }, prices, ...more }],
        } as Provider)
      : provider,
  );
  const table = JSON.parse(makePriceTable({ providers, version: "0", asOf }));
  return table.providers.find(({ id }: { id: string }) => id === "openai").models[0];
}

describe("the bundled price table", () => {
  it("equals what the installed package gives for the day that it names", async () => {
    const kept = readFileSync(new URL("./price-table.json", import.meta.url), "utf8");
    const providers = (await waitForUpdate()) ?? [];
    expect(makePriceTable({ providers, version: installed.version, asOf: PRICE_SOURCE.as_of })).toBe(kept);
  });

  it("names the package, version, licence and day that it was made from", () => {
    expect(PRICE_SOURCE).toMatchObject({
      package: "@pydantic/genai-prices",
      version: installed.version,
      licence: installed.license,
    });
    expect(PRICE_SOURCE.as_of).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  });

  it("is sorted, names every model once, and links each provider's price pages", () => {
    expect(PROVIDERS).toEqual(PROVIDERS.toSorted());
    for (const { pages, models } of PRICED_PROVIDERS) {
      const names = models.map(({ name }) => name);
      expect(names).toEqual([...new Set(names)].sort());
      expect(pages[0]).toMatch(/^https:\/\//);
    }
  });

  it("contains only integers, and zeros only where the name says that a model is free", () => {
    for (const { models } of PRICED_PROVIDERS) {
      for (const row of models) {
        for (const price of [row.input, row.output, row.cachedInput, row.cacheWrite, row.perRequest, row.perSecond])
          expect(price === null || Number.isSafeInteger(price)).toBe(true);
        const isPaid = [row.input, row.output, row.perSecond].some((price) => (price ?? 0) > 0);
        expect(isPaid || row.input === null || row.name.endsWith(":free"), row.name).toBe(true);
      }
    }
  });
});

describe("a row of the price table", () => {
  it("converts dollars per million tokens to exact nano-credits", async () => {
    expect(
      await rowWith({ input_mtok: 0.15, output_mtok: 0.6, cache_read_mtok: 0.075, cache_write_mtok: 0.1875 }),
    ).toMatchObject({
      input: 150_000_000,
      output: 600_000_000,
      cachedInput: 75_000_000,
      cacheWrite: 187_500_000,
    });
  });

  it("rounds up a price that does not divide, without floating-point noise", async () => {
    expect(await rowWith({ input_mtok: 0.25 / 3, output_mtok: 0.1 + 0.2 })).toMatchObject({
      input: 83_333_334,
      output: 300_000_000,
    });
  });

  it.each([
    ["without prices", {}],
    ["without a price for output", { input_mtok: 1 }],
    ["with zeros that no name explains", { input_mtok: 0, output_mtok: 0 }],
  ])("leaves unknown: %s", async (_, prices) => {
    expect(await rowWith(prices)).toMatchObject({ input: null, output: null });
  });

  it("is left out where a billed unit is not understood", async () => {
    expect(await rowWith({ input_mtok: 1, output_mtok: 2, output_citation_mtok: 3 })).toBeUndefined();
  });

  it("uses the price of the first tier, and limits the context to it", async () => {
    const tiers = (base: number) => ({ base, tiers: [{ start: 200_000, price: base * 2 }] });
    const row = await rowWith({ input_mtok: tiers(3), output_mtok: tiers(15) }, { context_window: 1_000_000 });
    expect(row).toMatchObject({ input: 3_000_000_000, context: 200_000, wholeContext: 1_000_000 });
  });

  it("uses the price of its day", async () => {
    const dated = [
      { prices: { input_mtok: 10, output_mtok: 40 } },
      {
        constraint: { type: "start_date", start_date: "2026-06-10" },
        prices: { input_mtok: 2, output_mtok: 8 },
      },
    ];
    expect(await rowWith(dated, {}, "2026-06-09")).toMatchObject({ input: 10_000_000_000 });
    expect(await rowWith(dated, {}, "2026-06-10")).toMatchObject({ input: 2_000_000_000 });
  });

  it("uses the highest price where the price depends on the hour", async () => {
    const byHour = [
      { prices: { input_mtok: 1, output_mtok: 2 } },
      {
        constraint: { type: "time_of_date", start_time: "00:30:00Z", end_time: "16:30:00Z" },
        prices: { input_mtok: 3, output_mtok: 1 },
      },
    ];
    expect(await rowWith(byHour)).toMatchObject({
      input: 3_000_000_000,
      output: 2_000_000_000,
      variesByHour: true,
    });
  });

  it("converts hours of audio to seconds", async () => {
    expect(await rowWith({ audio_hours: 0.36 })).toMatchObject({ perSecond: 100_000, input: 0, output: 0 });
  });
});
