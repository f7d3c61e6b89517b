import { describe, expect, it } from "vitest";
import { fillTimes } from "./traffic-times.ts";

const row = (start: string, requests: number) => ({
  provider: "acme",
  model: "scribe",
  start,
  requests,
  errors: 1,
  input_tokens: 0,
  output_tokens: 0,
  earnings: 0.5,
  average_latency_ms: 120,
});

describe("the times of a chart", () => {
  it("are every day of the range up to now, with noughts where nothing was", () => {
    const times = fillTimes(
      {
        interval: "day",
        from: "2026-03-01T00:00:00Z",
        to: "2026-03-06T00:00:00Z",
        data: [row("2026-03-02T00:00:00Z", 4)],
      },
      Date.parse("2026-03-04T10:00:00Z"),
    );
    expect(times.moments.map((at) => new Date(at).toISOString().slice(0, 10))).toEqual([
      "2026-03-01",
      "2026-03-02",
      "2026-03-03",
      "2026-03-04",
    ]);
    expect(times.requests[0]?.values).toEqual([0, 4, 0, 0]);
    expect(times.latency[0]?.values).toEqual([null, 120, null, null]);
  });

  it("lose no day when the clocks change", () => {
    const times = fillTimes(
      {
        interval: "day",
        from: "2026-03-28T23:00:00Z",
        to: "2026-03-31T22:00:00Z",
        data: [row("2026-03-29T22:00:00Z", 7), row("2026-03-30T22:00:00Z", 8)],
      },
      Date.parse("2026-03-31T20:00:00Z"),
    );
    expect(times.requests[0]?.values).toEqual([0, 7, 8]);
  });
});
