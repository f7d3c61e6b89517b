import { toCredits } from "@trunkline/core/money.ts";
import type { Attempt } from "@trunkline/core/provider-failure.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import type { Health } from "@trunkline/core/route.ts";
import {
  intendedAction,
  type JudgeResponse,
  type Opinion,
  SAFETY_ACTIONS,
  type Verdict,
} from "@trunkline/core/verdict.ts";
import { Counter, Gauge, Histogram, type MetricObjectWithValues, type MetricValue, Registry } from "prom-client";
import type { AccountFunds } from "../ledger/billing/account-funds.ts";
import type { SettledTotals } from "../ledger/billing/settled-totals.ts";
import type { SettlementWriter } from "../ledger/billing/settlement-writer.ts";
import { type CountedSeries, type HistogramSeries, SeriesCounter, SeriesHistogram } from "./metric-series.ts";
import { ModelUsageMetrics } from "./model-usage-metrics.ts";
import { processMetrics } from "./process-metrics.ts";

/** The values of all metrics of a process, as data. */
export type MetricValues = readonly MetricObjectWithValues<MetricValue<string>>[];

/** Merges a worker's metrics with those of the others, and returns the text. */
export type MergeMetrics = (own: MetricValues) => Promise<string>;

/** Where the figures about admission come from. */
interface AdmissionCounts {
  readonly waiting: number;
  readonly refused: number;
}

/** Where the figures about endpoints come from. */
interface EndpointCounts {
  readonly health: {
    countByState(): ReadonlyMap<Health["state"], { readonly endpoints: number; readonly inFlight: number }>;
    ejections(): ReadonlyMap<string, number>;
  };
  readonly prober: { outcomes(): ReadonlyMap<string, number> };
}

/** Where the figures about money come from. */
interface MoneyCounts {
  readonly settledTotals: Pick<SettledTotals, "settlements" | "inputTokens" | "outputTokens" | "cost">;
  readonly settlementWriter: Pick<SettlementWriter, "waiting" | "openCount" | "waitMs">;
  readonly funds: Pick<AccountFunds, "totals">;
}

/** Every state is always reported, so that one without endpoints does not keep its last count. */
const ENDPOINT_STATES: readonly Health["state"][] = ["closed", "open", "half-open", "ramping"];

/** The series of one operation. */
interface PathSeries {
  readonly byStatus: Map<number, CountedSeries>;
  readonly seconds: HistogramSeries;
  /** undefined: it has not made an answer yet. */
  overhead: HistogramSeries | undefined;
}

/** The metrics at /metrics. Operators' dashboards rely on the names: do not change them. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #process = processMetrics();
  readonly #requests = new SeriesCounter(
    this.#registry,
    "trunkline_requests_total",
    "Requests by operation and status.",
  );
  readonly #seconds = new SeriesHistogram(
    this.#registry,
    "trunkline_request_seconds",
    "Time from arrival to the end of the answer.",
    [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
  );
  readonly #overhead = new SeriesHistogram(
    this.#registry,
    "trunkline_gateway_seconds",
    "The gateway's own part of that time.",
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5],
  );
  readonly #attempts = new SeriesCounter(
    this.#registry,
    "trunkline_provider_attempts_total",
    "Provider calls by model and outcome.",
  );
  readonly #modelUsage = new ModelUsageMetrics(this.#registry);
  readonly #continuations = new Counter({
    name: "trunkline_answers_continued_total",
    help: "Answers that another model continued after a provider failed in the middle.",
    registers: [this.#registry],
  });
  readonly #verdicts = new SeriesCounter(
    this.#registry,
    "trunkline_safety_verdicts_total",
    "Safety verdicts by side and action. dry_run: the action that a dry run did not take.",
  );
  readonly #categories = new Counter({
    name: "trunkline_safety_categories_total",
    help: "Findings of safety verdicts by side, category and action.",
    labelNames: ["side", "category", "action", "dry_run"],
    registers: [this.#registry],
  });
  readonly #opinions = new Counter({
    name: "trunkline_safety_judge_total",
    help: "Opinions of the moderation judge by result: raised, lowered, upheld, or why there was none.",
    labelNames: ["result"],
    registers: [this.#registry],
  });
  readonly #opinionSeconds = new Histogram({
    name: "trunkline_safety_judge_seconds",
    help: "Time spent waiting for the moderation judge.",
    buckets: [0.025, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 10, 30],
    registers: [this.#registry],
  });
  readonly #opinionTokens = new Counter({
    name: "trunkline_safety_judge_tokens_total",
    help: "Tokens that a model used as the moderation judge. The operator pays for them.",
    labelNames: ["direction"],
    registers: [this.#registry],
  });
  readonly #cache = new Counter({
    name: "trunkline_cache_lookups_total",
    help: "Requests that allowed a cached answer, by result: exact, similar or miss.",
    labelNames: ["found"],
    registers: [this.#registry],
  });

  readonly #seriesOfPath = new Map<string, PathSeries>();
  /** By model and outcome. */
  readonly #seriesOfModel = new Map<string, Map<string, CountedSeries>>();
  /** By side, action and dry run. */
  readonly #seriesOfVerdict: (CountedSeries | undefined)[] = [];

  readonly #merge: MergeMetrics | undefined;

  constructor(
    inFlight: () => number,
    admission: AdmissionCounts,
    endpoints: EndpointCounts,
    money: MoneyCounts,
    merge?: MergeMetrics,
    clockSkewMs: () => number | undefined = () => undefined,
  ) {
    this.#merge = merge;
    this.#addGauge("trunkline_requests_in_flight", "Requests now running.", inFlight);
    this.#addGauge(
      "trunkline_requests_waiting",
      "Requests that wait for their turn to begin.",
      () => admission.waiting,
    );
    this.#addCounter(
      "trunkline_overload_refusals_total",
      "Requests refused because the service had too much to do.",
      () => admission.refused,
    );
    new Gauge({
      name: "trunkline_clock_skew_seconds",
      help: "By how much the machine's clock is ahead of the database's.",
      registers: [this.#registry],
      // Workers share the machine's clock.
      aggregator: "average",
      collect() {
        this.set((clockSkewMs() ?? 0) / 1000);
      },
    });
    this.#watchEndpoints(endpoints);
    this.#watchMoney(money);
  }

  #watchMoney({ settledTotals, settlementWriter, funds }: MoneyCounts): void {
    this.#addCounter(
      "trunkline_settlements_total",
      "Requests whose record and charge were written.",
      () => settledTotals.settlements,
    );
    this.#addCounter("trunkline_cost_credits_total", "Credits that requests were charged.", () =>
      toCredits(settledTotals.cost),
    );
    this.addCounterBy("trunkline_tokens_total", "Tokens of settled requests by direction.", "direction", () => [
      ["input", settledTotals.inputTokens],
      ["output", settledTotals.outputTokens],
    ]);
    this.#addGauge(
      "trunkline_settlements_waiting",
      "Settlements that wait to be written.",
      () => settlementWriter.waiting,
    );
    this.#addGauge(
      "trunkline_settlements_unknown",
      "Settlements whose outcome the store has yet to tell.",
      () => settlementWriter.openCount,
    );
    this.#addGauge(
      "trunkline_commit_wait_seconds",
      "How long the batch that is being written has taken so far.",
      () => settlementWriter.waitMs / 1000,
    );
    this.#addGauge("trunkline_leased_credits", "Credits that this instance has leased of balances.", () =>
      toCredits(funds.totals().leased),
    );
    this.#addGauge("trunkline_held_credits", "Credits that running requests hold.", () =>
      toCredits(funds.totals().held),
    );
  }

  #addCounter(name: string, help: string, read: () => number): void {
    new Counter({
      name,
      help,
      registers: [this.#registry],
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }

  #addGauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      collect() {
        this.set(read());
      },
    });
  }

  /** Shows until when the service's certificate is valid. Without TLS it is not called. */
  watchCertificate(validTo: () => number | undefined): void {
    new Gauge({
      name: "trunkline_tls_certificate_expiry_timestamp_seconds",
      help: "When the service's TLS certificate expires; 0: it has none yet.",
      registers: [this.#registry],
      // Workers serve the same certificate, and a new one reaches them a moment apart.
      aggregator: "min",
      collect() {
        this.set((validTo() ?? 0) / 1_000);
      },
    });
  }

  /** Adds a counter with one label, whose values are kept elsewhere. */
  addCounterBy(name: string, help: string, label: string, read: () => Iterable<readonly [string, number]>): void {
    new Counter({
      name,
      help,
      labelNames: [label],
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const [value, count] of read()) this.inc({ [label]: value }, count);
      },
    });
  }

  #watchEndpoints({ health, prober }: EndpointCounts): void {
    const registers = [this.#registry];
    new Gauge({
      name: "trunkline_endpoints",
      help: "Endpoints that were called, by the state of their circuit breakers.",
      labelNames: ["state"],
      registers,
      // Workers call the same endpoints.
      aggregator: "max",
      collect() {
        const counts = health.countByState();
        for (const state of ENDPOINT_STATES) this.set({ state }, counts.get(state)?.endpoints ?? 0);
      },
    });
    new Gauge({
      name: "trunkline_endpoint_calls_in_flight",
      help: "Provider calls now running, by the state of the endpoint's circuit breaker.",
      labelNames: ["state"],
      registers,
      collect() {
        const counts = health.countByState();
        for (const state of ENDPOINT_STATES) this.set({ state }, counts.get(state)?.inFlight ?? 0);
      },
    });
    this.addCounterBy(
      "trunkline_endpoint_ejections_total",
      "Endpoints taken out of service, by cause: failures, slow, credential or funds.",
      "why",
      () => health.ejections(),
    );
    this.addCounterBy("trunkline_probes_total", "Probes of idle models by outcome.", "outcome", () =>
      prober.outcomes(),
    );
  }

  observe(requestTrace: RequestTrace, status: number): void {
    const { path, elapsedMs } = requestTrace;
    let series = this.#seriesOfPath.get(path);
    if (series === undefined) {
      series = { byStatus: new Map(), seconds: this.#seconds.addSeries({ path }), overhead: undefined };
      this.#seriesOfPath.set(path, series);
    }
    let requests = series.byStatus.get(status);
    if (requests === undefined) {
      requests = this.#requests.addSeries({ path, status });
      series.byStatus.set(status, requests);
    }
    requests.value++;
    series.seconds.observe(elapsedMs / 1000);
    if (requestTrace.inference === undefined) return;
    series.overhead ??= this.#overhead.addSeries({ path });
    series.overhead.observe(Math.max(0, elapsedMs - requestTrace.providerMs - requestTrace.guardrailMs) / 1000);
    for (const attempt of requestTrace.attempts) this.#countAttempt(attempt);
    this.#modelUsage.count(requestTrace);
    if (requestTrace.segmentCount > 1) this.#continuations.inc(requestTrace.segmentCount - 1);
    if (requestTrace.cache !== undefined)
      this.#cache.inc({ found: requestTrace.cache.result === "hit" ? requestTrace.cache.match : "miss" });
    this.#countVerdict("input", requestTrace.inputVerdict);
    this.#countVerdict("output", requestTrace.outputVerdict);
  }

  #countAttempt({ model, outcome }: Attempt): void {
    let byOutcome = this.#seriesOfModel.get(model);
    if (byOutcome === undefined) {
      byOutcome = new Map();
      this.#seriesOfModel.set(model, byOutcome);
    }
    let series = byOutcome.get(outcome);
    if (series === undefined) {
      series = this.#attempts.addSeries({ model, outcome });
      byOutcome.set(outcome, series);
    }
    series.value++;
  }

  #countVerdict(side: "input" | "output", verdict: Verdict | undefined): void {
    if (verdict === undefined) return;
    const action = intendedAction(verdict);
    const isDryRun = verdict.dryRun !== undefined;
    const index = (SAFETY_ACTIONS.indexOf(action) * 2 + (side === "input" ? 0 : 1)) * 2 + (isDryRun ? 1 : 0);
    let series = this.#seriesOfVerdict[index];
    if (series === undefined) {
      series = this.#verdicts.addSeries({ side, action, dry_run: String(isDryRun) });
      this.#seriesOfVerdict[index] = series;
    }
    series.value++;
    for (const category in verdict.acted)
      this.#categories.inc({
        side,
        category,
        action: verdict.acted[category] ?? "allow",
        dry_run: String(isDryRun),
      });
  }

  /** Counts the opinion of an external judge. `asked` is undefined where the opinion was remembered from an earlier call. */
  observeOpinion({ result, why, ms, remembered }: Opinion, asked: JudgeResponse | undefined): void {
    this.#opinions.inc({ result: why ?? result });
    if (!remembered && why !== "busy") this.#opinionSeconds.observe(ms / 1000);
    this.#opinionTokens.inc({ direction: "input" }, asked?.inputTokens ?? 0);
    this.#opinionTokens.inc({ direction: "output" }, asked?.outputTokens ?? 0);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** The metrics of the service: of all its workers, where there are several. */
  async text(): Promise<string> {
    if (this.#merge !== undefined) return this.#merge(await this.values());
    return `${await this.#registry.metrics()}\n${await this.#process.metrics()}`;
  }

  /** The metrics of this process alone. */
  async values(): Promise<MetricValues> {
    return [...(await this.#registry.getMetricsAsJSON()), ...(await this.#process.getMetricsAsJSON())];
  }
}
