import { describe, expect, it } from "vitest";
import {
  chartSeriesOf,
  type Latency,
  partNames,
  type Series,
  viewOfLatency,
  viewOfSeries,
  writeFigure,
} from "./series-view.ts";

const sums = (requests: number, cost: number) => ({
  requests,
  errors: requests * 2,
  input_tokens: requests * 10,
  output_tokens: requests * 7,
  cost,
});

const SERIES: Series = {
  from: null,
  to: null,
  timezone: "UTC",
  interval: "day",
  group_by: "key",
  groups: [
    { group: "id-0001", name: "Backend", ...sums(5, 0.000000003) },
    { group: "id-0002", name: "Backend", ...sums(4, 0.25) },
    { group: null, name: "other", ...sums(2, 0.1) },
  ],
  data: [
    {
      start: "2026-01-01T00:00:00.000Z",
      end: "2026-01-02T00:00:00.000Z",
      ...sums(9, 0.250000003),
      groups: [
        { group: "id-0001", ...sums(5, 0.000000003) },
        { group: "id-0002", ...sums(4, 0.25) },
      ],
    },
    {
      start: "2026-01-02T00:00:00.000Z",
      end: "2026-01-03T00:00:00.000Z",
      ...sums(2, 0.1),
      groups: [{ group: null, ...sums(2, 0.1) }],
    },
  ],
  total: sums(11, 0.350000003),
  next_cursor: null,
};
const WHOLE: Series = {
  ...SERIES,
  group_by: "none",
  groups: [],
  data: SERIES.data.map((part) => ({ ...part, groups: [] })),
};

describe("the figures of a series", () => {
  it.each(["cost", "requests", "tokens", "errors"] as const)(
    "are the same in the chart, in the table and in the API: %s",
    (metric) => {
      const read = (row: Series["total"]) => (metric === "tokens" ? row.input_tokens + row.output_tokens : row[metric]);
      for (const series of [SERIES, WHOLE]) {
        const view = viewOfSeries(series, metric);
        const drawn = chartSeriesOf(view);
        // Everything that the chart draws is a column of the table, by label and figure for figure.
        for (const line of drawn)
          expect(view.columns.find(({ label }) => label === line.label)?.values).toBe(line.values);
        expect(view.starts).toEqual(series.data.map(({ start }) => start));
        const whole = view.columns.at(-1);
        expect(whole?.values).toEqual(series.data.map(read));
        expect(whole?.total).toBe(read(series.total));
        for (const [index, part] of series.data.entries()) {
          const pile = drawn.reduce((sum, line) => sum + (line.values[index] ?? 0), 0);
          expect(pile).toBeCloseTo(read(part), 9);
        }
      }
      const byGroup = viewOfSeries(SERIES, metric);
      for (const [place, group] of SERIES.groups.entries()) {
        const column = byGroup.columns[place];
        expect(column?.total).toBe(read(group));
        expect(column?.values).toEqual(
          SERIES.data.map(({ groups }) => {
            const part = groups.find((one) => one.group === group.group);
            return part === undefined ? 0 : read(part);
          }),
        );
      }
    },
  );

  it("have labels that tell two keys of one name apart, and colours that are all different", () => {
    const drawn = chartSeriesOf(viewOfSeries(SERIES, "cost"));
    expect(drawn.map(({ label }) => label)).toEqual(["Backend (…0001)", "Backend (…0002)", "Other"]);
    expect(new Set(drawn.map(({ colour }) => colour)).size).toBe(3);
  });

  it("hide no money", () => {
    expect(writeFigure(0.000000003, "cost")).toBe("$0.000000003");
    expect(writeFigure(null, "latency")).toBe("–");
    expect(writeFigure(1_234, "latency", "requests")).toBe("1,234");
  });
});

describe("the figures of latency", () => {
  const measured = { requests: 3, p50: 20, p95: 90, mean: 31 };
  const nothing = { requests: 0, p50: null, p95: null, mean: null };
  const { next_cursor, from, to, timezone, interval } = SERIES;
  const latency: Latency = {
    ...{ from, to, timezone, interval, next_cursor },
    group_by: "none",
    sampled: false,
    one_in: 1,
    groups: [],
    data: [
      { start: "2026-01-01T00:00:00.000Z", end: "2026-01-02T00:00:00.000Z", ...measured, groups: [] },
      { start: "2026-01-02T00:00:00.000Z", end: "2026-01-03T00:00:00.000Z", ...nothing, groups: [] },
    ],
    total: measured,
  };

  it("are drawn as reported, with gaps where nothing was measured", () => {
    const view = viewOfLatency(latency);
    expect(chartSeriesOf(view).map(({ values }) => values)).toEqual([
      [20, null],
      [90, null],
    ]);
    expect(view.columns.map(({ total }) => total)).toEqual([20, 90, 31, 3]);
  });

  it("are the 95th percentile of each group, and of all", () => {
    const grouped = viewOfLatency({
      ...latency,
      group_by: "model",
      groups: [{ group: "small", name: "small", ...measured, p95: 80 }],
      data: latency.data.map((part, index) => ({
        ...part,
        groups: index === 0 ? [{ group: "small", ...measured, p95: 80 }] : [],
      })),
    });
    expect(grouped.columns.map(({ values }) => values)).toEqual([
      [80, null],
      [90, null],
    ]);
  });
});

describe("the names of the parts of a range", () => {
  it("tell the two hours apart that are called the same where the clocks go back", () => {
    const starts = ["2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z", "2026-10-25T02:00:00Z"];
    const names = partNames(starts, "hour", "Europe/Berlin");
    expect(names).toEqual(["Oct 25, 02:00 GMT+2", "Oct 25, 02:00 GMT+1", "Oct 25, 03:00"]);
  });

  it("are days, weeks and months in the zone", () => {
    expect(partNames(["2026-03-31T22:00:00Z"], "day", "Europe/Berlin")).toEqual(["Apr 1, 2026"]);
    expect(partNames(["2026-03-31T22:00:00Z"], "month", "Europe/Berlin")).toEqual(["April 2026"]);
    expect(partNames(["2026-11-09T00:00:00Z"], "week", "UTC")).toEqual(["Week of Nov 9, 2026"]);
  });
});
