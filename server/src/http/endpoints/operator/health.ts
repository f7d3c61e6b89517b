import { monitorEventLoopDelay } from "node:perf_hooks";
import { fullNameOf, MODEL_STATES } from "@trunkline/core/model.ts";
import { toCredits } from "@trunkline/core/money.ts";
import { UNLISTED_REASONS } from "@trunkline/providers/discovery/list-models.ts";
import { averagesOf } from "@trunkline/providers/health/endpoint-totals.ts";
import { z } from "zod";
import { conditionOf } from "../../responses/service-status.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";

/** A late event loop is the first sign of an overloaded process. */
const eventLoopDelay = monitorEventLoopDelay({ resolution: 20 });

const healthResponseSchema = z.object({
  process: z.object({
    uptime_seconds: z.number(),
    node: z.string(),
    memory_bytes: z.number(),
    event_loop_p99_ms: z.number(),
    requests_running: z.int(),
    clock_skew_seconds: z
      .number()
      .nullable()
      .describe("By how much the machine's clock is ahead of the database's, whose time is used; null: not measured."),
  }),
  instances: z.array(z.object({ id: z.string(), started_at: z.string(), this: z.boolean() })),
  store: z.object({
    version: z.string(),
    bytes: z.number(),
    connections: z.int(),
    answer_ms: z.number(),
    embedded: z.boolean(),
  }),
  last_hour: z.object({ requests: z.int(), errors: z.int(), cost: z.number() }),
  accounts: z.int(),
  deliveries_waiting: z.int().describe("Webhook events that are still to be delivered."),
  ledger_sealed_at: z.string().nullable(),
  models: z.record(z.enum(MODEL_STATES), z.int()),
  troubled: z.array(z.object({ model: z.string(), state: z.string(), error_rate: z.number(), calls: z.int() })),
  unlisted_providers: z
    .array(z.object({ provider: z.string(), reason: z.enum(UNLISTED_REASONS), detail: z.string() }))
    .describe(
      "Providers that did not say which models the service's key may use, such as within 10 s. All of their known models stay offered, and they are asked again each hour.",
    ),
});

const readHealth = controlEndpoint({
  method: "GET",
  path: "/v1/admin/health",
  permission: "operator.read",
  status: 200,
  tag: "Operator",
  summary: "How the service does",
  description:
    "`process`, `unlisted_providers` and the state of each model in `troubled` are of the instance that answers, the rest is of all. The error rates are those of the last hour, as the models' pages have them.",
  faults: [],
  response: healthResponseSchema,
  async handle({ services }) {
    eventLoopDelay.enable();
    const report = await services.lifecycle.fleet.report();
    const day = await services.providers.endpointStats.lastDayByHour();
    const models = services.providers.catalogue.all();
    const skewMs = services.lifecycle.clockSkewMs();
    const count = (state: string) => models.filter((model) => model.state === state).length;
    return {
      process: {
        uptime_seconds: Math.round(process.uptime()),
        node: process.version,
        memory_bytes: process.memoryUsage.rss(),
        event_loop_p99_ms: roundMs(eventLoopDelay.percentile(99) / 1e6),
        requests_running: services.lifecycle.inFlight.size,
        clock_skew_seconds: skewMs === undefined ? null : Math.round(skewMs) / 1000,
      },
      instances: report.instances.map(({ id, startedAt, isThis }) => ({
        id,
        started_at: startedAt.toISOString(),
        this: isThis,
      })),
      store: {
        version: report.store.version,
        bytes: Number(report.store.bytes),
        connections: report.store.connections,
        answer_ms: roundMs(report.store.answerMs),
        embedded: services.config.databaseUrl === undefined,
      },
      last_hour: {
        requests: report.lastHour.requests,
        errors: report.lastHour.errors,
        cost: toCredits(report.lastHour.cost),
      },
      accounts: report.accounts,
      deliveries_waiting: report.deliveriesWaiting,
      ledger_sealed_at: report.sealedAt?.toISOString() ?? null,
      models: Object.fromEntries(MODEL_STATES.map((state) => [state, count(state)])),
      troubled: models.flatMap((model) => {
        // The same figures as the model's page and the status page have.
        if (conditionOf(services, model, day) === "up") return [];
        const { state } = services.providers.health.of(model.id);
        const totals = day.lastHourOf(model.id);
        const { errorRate = 0 } = averagesOf(totals);
        return [{ model: fullNameOf(model), state, error_rate: errorRate, calls: totals.calls }];
      }),
      unlisted_providers: [...services.providers.discoverySchedule.unlisted].map(([provider, { reason, detail }]) => ({
        provider,
        reason,
        detail,
      })),
    };
  },
});

function roundMs(value: number): number {
  return Math.round((Number.isFinite(value) ? value : 0) * 100) / 100;
}

export const operatorHealthEndpoints: readonly Endpoint[] = [readHealth];
