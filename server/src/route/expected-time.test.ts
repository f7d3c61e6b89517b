import { describe, expect, it } from "vitest";
import { sampleHealth, sampleModel, sampleQuote } from "../../test/samples.ts";
import { expectedLatencyMs } from "./expected-latency.ts";

const quote = sampleQuote(1n);

describe("expectedLatencyMs", () => {
  it("believes the provider as long as nothing was seen", () => {
    expect(expectedLatencyMs(sampleModel("a/x", { avgLatencyMs: 700 }), sampleHealth(), quote)).toBe(700);
  });

  it("expects something of a model that claims nothing", () => {
    const model = sampleModel("a/x", { avgLatencyMs: undefined });
    expect(expectedLatencyMs(model, sampleHealth(), quote)).toBeGreaterThan(0);
  });

  it("believes its own calls more, the more of them there are", () => {
    const model = sampleModel("a/x", { avgLatencyMs: 100 });
    const after = (calls: number) => expectedLatencyMs(model, sampleHealth({ calls, latencyMs: 900 }), quote);
    expect(after(1)).toBeGreaterThan(100);
    expect(after(10)).toBeGreaterThan(after(1));
    expect(after(1_000)).toBeGreaterThan(890);
    expect(after(1_000)).toBeLessThan(900);
  });
});
