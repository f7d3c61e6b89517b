import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { inferenceOf } from "@trunkline/testing/builtin-inference.ts";
import { collect } from "@trunkline/testing/collect.ts";
import { describe, expect, it } from "vitest";
import { type Builtin, builtinAdapter, builtinModel } from "./builtin.ts";

const echo: Builtin = {
  model: builtinModel({
    id: "0b1de000-0000-4000-8000-0000000000ff",
    name: "echo",
    type: "text",
    description: "Says one word.",
    capabilities: [],
    specialties: [],
    avgLatencyMs: 1,
    accuracyScore: 0.1,
  }),
  async *answer() {
    yield { type: "text", text: "echo" };
  },
};

const callOf = (name: string, signal: AbortSignal) => ({
  model: { ...echo.model, name },
  inference: inferenceOf("Hello"),
  requestId: "r1",
  signal,
});

describe("builtinAdapter", () => {
  it("calls the model by its name", async () => {
    const parts = await collect(builtinAdapter([echo]).call(callOf("echo", new AbortController().signal)));
    expect(parts).toEqual([{ type: "text", text: "echo" }]);
  });

  it("fails with a clear message for an unknown model", async () => {
    const parts = builtinAdapter([echo]).call(callOf("voice", new AbortController().signal));
    await expect(collect(parts)).rejects.toThrow(ProviderFailure);
  });

  it("starts nothing after the client disconnected", async () => {
    const parts = builtinAdapter([echo]).call(callOf("echo", AbortSignal.abort(new Error("gone"))));
    await expect(collect(parts)).rejects.toThrow("gone");
  });
});
