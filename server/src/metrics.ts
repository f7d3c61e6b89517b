import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Journal } from "./domain/journal.ts";

/** What the operator's monitoring reads at /metrics. Names are part of the contract with dashboards: keep them. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = new Counter({
    name: "trunkline_requests_total",
    help: "Requests by operation and status.",
    labelNames: ["path", "status"],
    registers: [this.#registry],
  });
  readonly #seconds = new Histogram({
    name: "trunkline_request_seconds",
    help: "Time from arrival to the end of the answer.",
    labelNames: ["path"],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
    registers: [this.#registry],
  });
  readonly #overhead = new Histogram({
    name: "trunkline_gateway_seconds",
    help: "The gateway's own part of that time.",
    labelNames: ["path"],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5],
    registers: [this.#registry],
  });
  readonly #attempts = new Counter({
    name: "trunkline_provider_attempts_total",
    help: "Calls of providers by model and outcome.",
    labelNames: ["model", "outcome"],
    registers: [this.#registry],
  });
  readonly #continuations = new Counter({
    name: "trunkline_answers_continued_total",
    help: "Times that a model went on with an answer whose provider had died in the middle of it.",
    registers: [this.#registry],
  });
  readonly #verdicts = new Counter({
    name: "trunkline_safety_verdicts_total",
    help: "Safety verdicts by side and action.",
    labelNames: ["side", "action"],
    registers: [this.#registry],
  });

  readonly #cache = new Counter({
    name: "trunkline_cache_lookups_total",
    help: "Requests that asked for an answer given before, by what was found: exact, similar or miss.",
    labelNames: ["found"],
    registers: [this.#registry],
  });

  constructor(inFlight: () => number) {
    collectDefaultMetrics({ register: this.#registry });
    new Gauge({
      name: "trunkline_requests_in_flight",
      help: "Requests now running.",
      registers: [this.#registry],
      collect() {
        this.set(inFlight());
      },
    });
  }

  observe(journal: Journal, status: number): void {
    const { path } = journal;
    this.#requests.inc({ path, status });
    this.#seconds.observe({ path }, journal.elapsedMs / 1000);
    if (journal.inference === undefined) return;
    this.#overhead.observe({ path }, Math.max(0, journal.elapsedMs - journal.providerMs) / 1000);
    for (const { model, outcome } of journal.attempts) this.#attempts.inc({ model, outcome });
    if (journal.legs > 1) this.#continuations.inc(journal.legs - 1);
    if (journal.cache !== undefined)
      this.#cache.inc({ found: journal.cache.result === "hit" ? journal.cache.match : "miss" });
    if (journal.inputVerdict !== undefined)
      this.#verdicts.inc({ side: "input", action: journal.inputVerdict.action });
    if (journal.outputVerdict !== undefined)
      this.#verdicts.inc({ side: "output", action: journal.outputVerdict.action });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }
}
