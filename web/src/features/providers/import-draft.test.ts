import { describe, expect, it } from "vitest";
import { type FoundModel, importedModelOf, lacksPrice, rowAtFault, rowsOf } from "./import-draft.ts";

const FOUND: FoundModel = {
  name: "small",
  upstream_model: "vendor/small",
  type: "text",
  description: "",
  pricing: { input_per_1k_tokens: 0.00015, output_per_1k_tokens: 0.0006 },
  pricing_source: "endpoint",
  capabilities: ["text"],
  streaming: true,
  context_window: 1_000,
  max_output_tokens: null,
  registered: false,
};

describe("models to import", () => {
  it("are chosen at first where they have a price and are not there yet", () => {
    const rows = rowsOf([FOUND, { ...FOUND, pricing: null }, { ...FOUND, registered: true }]);
    expect(rows.map(({ isChosen, input, output }) => [isChosen, input, output])).toEqual([
      [true, 0.15, 0.6],
      [false, undefined, undefined],
      [false, 0.15, 0.6],
    ]);
  });

  it("need the prices of their type, and nought is one", () => {
    const [row] = rowsOf([{ ...FOUND, pricing: null }]);
    if (row === undefined) throw new Error("There is a row.");
    expect(lacksPrice(row)).toBe(true);
    expect(lacksPrice({ ...row, input: 0 })).toBe(true);
    expect(lacksPrice({ ...row, input: 0, output: 0 })).toBe(false);
    expect(lacksPrice({ ...row, input: 1, found: { ...FOUND, type: "embedding" } })).toBe(false);
    expect(lacksPrice({ ...row, found: { ...FOUND, type: "image", pricing: { per_image: 0.04 } } })).toBe(false);
  });

  it("are sent with prices for a thousand tokens, and with their own name where it differs", () => {
    const [row] = rowsOf([FOUND]);
    if (row === undefined) throw new Error("There is a row.");
    expect(importedModelOf({ ...row, input: 0.1 })).toEqual({
      name: "small",
      type: "text",
      upstream_model: "vendor/small",
      pricing: { input_per_1k_tokens: 0.0001, output_per_1k_tokens: 0.0006 },
      capabilities: ["text"],
      streaming: true,
      context_window: 1_000,
    });
    expect(importedModelOf({ ...row, name: " vendor.small " }).name).toBe("vendor.small");
  });

  it("are found by the place that an error names", () => {
    const rows = rowsOf([FOUND, { ...FOUND, name: "other" }]);
    expect(rowAtFault("models[1].name", rows)?.name).toBe("other");
    expect(rowAtFault("credential", rows)).toBeUndefined();
    expect(rowAtFault("models[7].name", rows)).toBeUndefined();
  });
});
