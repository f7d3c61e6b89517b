import { newId } from "@trunkline/core/id.ts";
import { describe, expect, it } from "vitest";
import { SAMPLERS, Tracer } from "./tracer.ts";

const ID = "0192f000-1111-7222-8333-444455556666";
const parent = (flags: string) => ({ traceparent: `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-${flags}` });

describe("Tracer", () => {
  it("begins a trace under the request's id", () => {
    expect(new Tracer({ kind: "always_on", ratio: 1 }).start(ID)).toEqual({
      traceId: "0192f0001111722283334444" + "55556666",
      spanId: "8333444455556666",
      parentSpanId: undefined,
      isSampled: true,
      traceState: undefined,
    });
  });

  it.each(SAMPLERS)("decides by %s", (kind) => {
    const tracer = new Tracer({ kind, ratio: 0 });
    const own = kind.endsWith("always_on");
    expect(tracer.start(ID).isSampled).toBe(own);
    const follows = kind.startsWith("parentbased");
    expect(tracer.start(ID, parent("01")).isSampled).toBe(follows || own);
    expect(tracer.start(ID, parent("00")).isSampled).toBe(!follows && own);
  });

  it("takes about the share that it is given", () => {
    const tracer = new Tracer({ kind: "traceidratio", ratio: 0.25 });
    const taken = Array.from({ length: 4_000 }, () => tracer.start(newId())).filter(({ isSampled }) => isSampled);
    expect(taken.length).toBeGreaterThan(800);
    expect(taken.length).toBeLessThan(1_200);
  });

  it("ignores a context that is not valid", () => {
    const context = new Tracer({ kind: "always_on", ratio: 1 }).start(ID, { traceparent: "nonsense" });
    expect(context.parentSpanId).toBeUndefined();
  });
});
