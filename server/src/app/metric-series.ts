import type { Metric, Registry } from "prom-client";

type Labels = Readonly<Record<string, string | number>>;

/** One series of a counter. It is found once, and then counting is an addition. */
export interface CountedSeries {
  readonly labels: Labels;
  value: number;
}

/** A counter for the path of every request, where prom-client would look up its series by its labels each time. */
export class SeriesCounter {
  readonly name: string;
  readonly #help: string;
  readonly #series: CountedSeries[] = [];

  constructor(registry: Registry, name: string, help: string) {
    this.name = name;
    this.#help = help;
    register(registry, this);
  }

  /** A new series. The caller keeps it. */
  addSeries(labels: Labels): CountedSeries {
    const series: CountedSeries = { labels, value: 0 };
    this.#series.push(series);
    return series;
  }

  /** What prom-client prints. */
  async get() {
    return { name: this.name, help: this.#help, type: "counter", aggregator: "sum", values: this.#series };
  }
}

/** The same for a histogram. */
export class SeriesHistogram {
  readonly name: string;
  readonly #help: string;
  readonly #bounds: readonly number[];
  readonly #series: HistogramSeries[] = [];

  constructor(registry: Registry, name: string, help: string, bounds: readonly number[]) {
    this.name = name;
    this.#help = help;
    this.#bounds = bounds;
    register(registry, this);
  }

  addSeries(labels: Labels): HistogramSeries {
    const series = new HistogramSeries(labels, this.#bounds);
    this.#series.push(series);
    return series;
  }

  async get() {
    const values = this.#series.flatMap((series) => series.read(this.name));
    return { name: this.name, help: this.#help, type: "histogram", aggregator: "sum", values };
  }
}

export class HistogramSeries {
  readonly #labels: Labels;
  readonly #bounds: readonly number[];
  /** How many values are at most each bound, and above the one before. */
  readonly #counts: number[];
  #count = 0;
  #sum = 0;

  constructor(labels: Labels, bounds: readonly number[]) {
    this.#labels = labels;
    this.#bounds = bounds;
    this.#counts = bounds.map(() => 0);
  }

  observe(value: number): void {
    this.#count++;
    this.#sum += value;
    for (let index = 0; index < this.#bounds.length; index++) {
      if (value > (this.#bounds[index] ?? 0)) continue;
      this.#counts[index] = (this.#counts[index] ?? 0) + 1;
      return;
    }
  }

  read(name: string) {
    let cumulated = 0;
    const buckets = this.#bounds.map((le, index) => {
      cumulated += this.#counts[index] ?? 0;
      return { metricName: `${name}_bucket`, labels: { le, ...this.#labels }, value: cumulated };
    });
    return [
      ...buckets,
      { metricName: `${name}_bucket`, labels: { le: "+Inf", ...this.#labels }, value: this.#count },
      { metricName: `${name}_sum`, labels: this.#labels, value: this.#sum },
      { metricName: `${name}_count`, labels: this.#labels, value: this.#count },
    ];
  }
}

/** The registry needs no more of a metric than its name and `get`. */
function register(registry: Registry, metric: SeriesCounter | SeriesHistogram): void {
  registry.registerMetric(metric as unknown as Metric);
}
