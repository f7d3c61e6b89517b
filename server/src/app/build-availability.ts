import { fullNameOf } from "@trunkline/core/model.ts";
import { RetryBudget } from "@trunkline/providers/call/retry-budget.ts";
import type { RegisteredModel } from "@trunkline/providers/catalogue/model-store.ts";
import { EndpointHealth } from "@trunkline/providers/health/endpoint-health.ts";
import { EndpointStateSync } from "@trunkline/providers/health/endpoint-state-sync.ts";
import { OutageNotifier } from "@trunkline/providers/health/outage-notifier.ts";
import { Prober } from "@trunkline/providers/health/prober.ts";
import { createWebhookEvent } from "../notify/webhooks/event.ts";
import type { Database } from "../store/database/database.ts";
import { PostgresEndpointStates } from "../store/models/endpoint-states.ts";
import { PostgresModelOutages } from "../store/models/model-outages.ts";
import { createEndpointStats } from "./build-diary.ts";
import type { Services } from "./services.ts";

interface EndpointHealthOptions
  extends Pick<Services, "config" | "clock" | "catalogue" | "adapterFor" | "warnThrottled"> {
  readonly database: Database;
  readonly instanceId: string;
  readonly random: () => number;
}

/**
 * The part of the house that knows how endpoints do and whether they may be called. `told` is called when an owner is to
 * hear of an outage. `build-house.ts` alone calls it.
 */
export async function createEndpointHealth(options: EndpointHealthOptions, told: () => void) {
  const { config, database, instanceId, clock, random, catalogue, adapterFor, warnThrottled } = options;
  const onError = (error: unknown) => warnThrottled(error, "How the endpoints do could not be kept or read.");
  const { endpointStatsWriter, endpointStats } = createEndpointStats(database, clock, warnThrottled);
  const health = new EndpointHealth(clock, random, endpointStatsWriter);
  const states = new PostgresEndpointStates(database, instanceId);
  const registered = finder(catalogue);
  const outageNotifier = new OutageNotifier({
    store: new PostgresModelOutages(database),
    clock,
    ownerOf: (modelId) => {
      const model = registered(modelId);
      return model && { accountId: model.accountId, model: fullNameOf(model) };
    },
    compose: createWebhookEvent,
    onQueued: told,
    onError,
  });
  const isShared = (modelId: string) => registered(modelId) !== undefined;
  const stateSync = new EndpointStateSync({
    store: states,
    health,
    outageNotifier: outageNotifier,
    instanceId,
    isShared,
    onError,
  });
  const prober = new Prober({
    isEnabled: config.routing.probes,
    health,
    clock,
    random,
    adapterFor,
    models: () => catalogue.registered(),
    claimTurn: (everyMs) => states.claimProbeTurn(everyMs),
    onError: (error) => warnThrottled(error, "An idle model could not be probed."),
  });
  await stateSync.load();
  stateSync.start();
  prober.start();
  return {
    parts: { endpointStatsWriter, endpointStats, health, prober, retryBudget: new RetryBudget(clock) },
    heard: (notice?: { readonly modelId: string; readonly by: string }) => stateSync.peerNoticed(notice),
    sweep: () => states.sweep(),
    async stop(): Promise<void> {
      await prober.stop();
      await stateSync.stop();
      await endpointStatsWriter.stop();
    },
  };
}

/** Finds registered models by their ids; looked through once after each change. */
function finder(catalogue: Services["catalogue"]) {
  let source: readonly RegisteredModel[] = [];
  let byId: ReadonlyMap<string, RegisteredModel> = new Map();
  return (modelId: string): RegisteredModel | undefined => {
    const models = catalogue.registered();
    if (models !== source) {
      source = models;
      byId = new Map(models.map((model) => [model.id, model]));
    }
    return byId.get(modelId);
  };
}
