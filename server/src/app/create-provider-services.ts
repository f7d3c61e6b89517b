import type { Clock } from "@trunkline/core/clock.ts";
import type { Logger } from "@trunkline/core/log.ts";
import { fullNameOf } from "@trunkline/core/model.ts";
import type { Sealer } from "@trunkline/core/secret.ts";
import type { Builtin } from "@trunkline/local-models/builtin.ts";
import { RetryBudget } from "@trunkline/providers/call/retry-policy.ts";
import { ModelCatalogue, type RegisteredModel } from "@trunkline/providers/catalogue/model-catalogue.ts";
import { ProviderKeys } from "@trunkline/providers/catalogue/provider-keys.ts";
import type { Dialer } from "@trunkline/providers/dialer/dialer.ts";
import { Discovery, OfferedModelKeys } from "@trunkline/providers/discovery/discovery.ts";
import { DiscoverySchedule } from "@trunkline/providers/discovery/discovery-schedule.ts";
import { EndpointHealth } from "@trunkline/providers/health/endpoint-health.ts";
import { EndpointStateSync } from "@trunkline/providers/health/endpoint-state-sync.ts";
import { EndpointStats, EndpointStatsWriter } from "@trunkline/providers/health/endpoint-stats.ts";
import { OutageNotifier } from "@trunkline/providers/health/outage-notifier.ts";
import { Prober } from "@trunkline/providers/health/prober.ts";
import { createWebhookEvent } from "../notify/webhooks/deliver.ts";
import type { Database } from "../store/database/database.ts";
import type { PostgresAccounts } from "../store/identity/accounts.ts";
import {
  PostgresEndpointStates,
  PostgresEndpointStats,
  PostgresModelOutages,
} from "../store/models/endpoint-health.ts";
import { PostgresModels } from "../store/models/models.ts";
import { PostgresProviderKeys } from "../store/models/provider-keys.ts";
import type { Config } from "./config/config.ts";
import type { Services } from "./services.ts";

interface EndpointHealthOptions
  extends Pick<Services, "config" | "clock" | "catalogue" | "adapterFor" | "warnThrottled"> {
  readonly database: Database;
  readonly instanceId: string;
  readonly random: () => number;
}

/**
 * Creates the services that observe endpoints and decide whether they may be called. `onQueued` is called when the
 * notice of an outage was queued.
 */
export async function createEndpointHealth(options: EndpointHealthOptions, onQueued: () => void) {
  const { config, database, instanceId, clock, random, catalogue, adapterFor, warnThrottled } = options;
  const onError = (error: unknown) => warnThrottled(error, "Endpoint health could not be stored or read.");
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
    onQueued,
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

interface DiscoveryOptions {
  readonly config: Config;
  readonly database: Database;
  readonly sealer: Sealer;
  readonly log: Logger;
  readonly dialer: Dialer;
  readonly accounts: PostgresAccounts;
  readonly builtins: readonly Builtin[];
}

/**
 * Creates the services of the model catalogue: registered models, discovered ones, and those that accounts reach by
 * provider keys of their own.
 */
export async function createDiscovery(options: DiscoveryOptions) {
  const { config, log, dialer, accounts, builtins } = options;
  const modelStore = new PostgresModels(options.database, options.sealer);
  const offered = new OfferedModelKeys(config.discovery);
  const builtinModels = builtins.map((builtin) => builtin.model);
  const catalogue = new ModelCatalogue(modelStore, builtinModels, offered);
  await catalogue.reload();
  const discovery = new Discovery({
    store: modelStore,
    catalogue,
    bases: config.discovery.bases,
    ownKeyFeePpm: BigInt(config.ownKeyFeePpm),
    isNameTaken: async (providerId) => (await accounts.findByProvider(providerId))?.operator === false,
    onNameTaken: (provider) =>
      log.warn(
        { provider },
        "This provider's name belongs to an account here: the models that are known of it are not offered.",
      ),
  });
  const providerKeys = new ProviderKeys({
    store: new PostgresProviderKeys(options.database, options.sealer),
    catalogue,
    canServe: (providerId) => discovery.canServe(providerId),
    addModels: async (providerId) => {
      const operator = await accounts.findOperator();
      if (operator !== undefined) await discovery.addModels(operator.id, [providerId]);
    },
    isOffered: (model) => offered.isOffered(model),
  });
  await providerKeys.reload();
  const discoverySchedule = new DiscoverySchedule({
    ...config.discovery,
    dialer,
    catalogue,
    offered,
    onLocal: (servers) =>
      log.info(
        { servers: servers.map(({ name, url, models }) => ({ name, url, models: models.length })) },
        "What runs on this machine was looked for.",
      ),
  });
  return { modelStore, catalogue, discovery, providerKeys: providerKeys, discoverySchedule };
}

/** Creates the endpoint statistics: `endpointStatsWriter` writes them, `endpointStats` reads them. */
function createEndpointStats(database: Database, clock: Clock, warnThrottled: Services["warnThrottled"]) {
  const onError = (error: unknown) => warnThrottled(error, "Endpoint health could not be stored or read.");
  const store = new PostgresEndpointStats(database);
  const endpointStatsWriter = new EndpointStatsWriter({
    store,
    clock,
    onWritten: () => endpointStats.invalidate(),
    onError,
  });
  const endpointStats: EndpointStats = new EndpointStats({
    store,
    pending: () => endpointStatsWriter.pending(),
    clock,
    onError,
  });
  endpointStatsWriter.start();
  return { endpointStatsWriter, endpointStats };
}
