import { fullNameOf } from "@trunkline/core/model.ts";
import type { Builtin } from "@trunkline/local-models/builtin/builtin.ts";
import { RetryBudget } from "@trunkline/providers/call/retry-policy.ts";
import { ModelCatalogue, type RegisteredModel } from "@trunkline/providers/catalogue/model-catalogue.ts";
import { ModelRegistry } from "@trunkline/providers/catalogue/model-registry.ts";
import { ProviderKeys } from "@trunkline/providers/catalogue/provider-keys.ts";
import { checkEndpoint } from "@trunkline/providers/dialer/address-guard.ts";
import { Discovery, OfferedModelKeys } from "@trunkline/providers/discovery/discovery.ts";
import { DiscoverySchedule } from "@trunkline/providers/discovery/discovery-schedule.ts";
import { EndpointHealth } from "@trunkline/providers/health/endpoint-health.ts";
import { EndpointStateSync } from "@trunkline/providers/health/endpoint-state-sync.ts";
import { EndpointStats, EndpointStatsWriter } from "@trunkline/providers/health/endpoint-stats.ts";
import { OutageNotifier } from "@trunkline/providers/health/outage-notifier.ts";
import { Prober } from "@trunkline/providers/health/prober.ts";
import { createWebhookEvent } from "../notify/webhooks/deliver.ts";
import {
  PostgresEndpointStates,
  PostgresEndpointStats,
  PostgresModelOutages,
} from "../store/models/endpoint-health.ts";
import { PostgresModels } from "../store/models/models.ts";
import { PostgresProviderKeys } from "../store/models/provider-keys.ts";
import { createAdapters } from "./create-adapters.ts";
import type { BaseServices, IdentityServices, ProviderServices } from "./services.ts";

const DAY_MS = 86_400_000;

interface ProviderOptions extends BaseServices {
  readonly accounts: IdentityServices["accounts"];
  readonly builtins: readonly Builtin[];
  /** Called when the notice of an outage was queued. */
  readonly onQueued: () => void;
}

/** Creates the model catalogue, the adapters, and what observes the endpoints. */
export async function createProviders(options: ProviderOptions) {
  const { dialer, builtins, clock } = options;
  const catalogue = await createCatalogue(options);
  const adapters = createAdapters(dialer, builtins);
  const adapterFor: ProviderServices["adapterFor"] = (model) => adapters[model.wire];
  const health = await createEndpointHealth(options, catalogue.catalogue, adapterFor);
  const services: ProviderServices = {
    ...catalogue,
    ...health.services,
    retryBudget: new RetryBudget(clock),
    dialer,
    adapterFor,
  };
  return {
    services,
    reloadModels: () => Promise.all([catalogue.catalogue.reload(), catalogue.providerKeys.reload()]),
    onPeerNotice: health.onPeerNotice,
    sweep: () => Promise.all([health.sweep(), catalogue.catalogue.reloadIfPriceIsDue(clock.now())]),
    stop: () => health.stop(),
  };
}

/** Creates the catalogue of registered models, discovered ones, and those that accounts reach by keys of their own. */
async function createCatalogue(options: ProviderOptions) {
  const { config, database, elsewhere, sealer, log, dialer, clock, accounts, builtins } = options;
  const modelStore = new PostgresModels(database, sealer, () => clock.now(), elsewhere);
  const offered = new OfferedModelKeys(config.discovery);
  const builtinModels = builtins.map((builtin) => builtin.model);
  const catalogue = new ModelCatalogue(modelStore, builtinModels, offered);
  await catalogue.reload();
  const discovery = new Discovery({
    store: modelStore,
    catalogue,
    bases: config.discovery.bases,
    dataClaims: config.dataClaims,
    ownKeyFeePpm: BigInt(config.ownKeyFeePpm),
    isNameTaken: async (providerId) => (await accounts.findByProvider(providerId))?.operator === false,
    onNameTaken: (provider) =>
      log.warn({ provider }, "An account has this provider's name, so the provider's known models are not offered."),
  });
  const providerKeys = new ProviderKeys({
    store: new PostgresProviderKeys(database, sealer),
    catalogue,
    canServe: (providerId) => discovery.canServe(providerId),
    explainUnfit: (providerId, credential) => discovery.explainUnfit(providerId, credential),
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
        "Looked for model servers on this machine.",
      ),
    onUnlisted: (provider, detail) =>
      log.warn(
        { provider },
        `The provider ${provider} was asked which models the key may use, and ${detail}. All of its models that are known stay offered; it is asked again in an hour.`,
      ),
  });
  const models = new ModelRegistry(modelStore, catalogue, checkEndpoint, {
    noticeMs: config.priceNoticeDays * DAY_MS,
    now: () => clock.now(),
  });
  return { modelStore, catalogue, models, discovery, providerKeys, discoverySchedule };
}

/** Creates the services that observe endpoints and decide whether they may be called. */
async function createEndpointHealth(
  { config, database, instance, clock, random, warnThrottled, onQueued }: ProviderOptions,
  catalogue: ModelCatalogue,
  adapterFor: ProviderServices["adapterFor"],
) {
  const onError = (error: unknown) => warnThrottled(error, "Endpoint health could not be stored or read.");
  const statsStore = new PostgresEndpointStats(database);
  const endpointStatsWriter = new EndpointStatsWriter({
    store: statsStore,
    clock,
    onWritten: () => endpointStats.invalidate(),
    onError,
  });
  const endpointStats: EndpointStats = new EndpointStats({
    store: statsStore,
    pending: () => endpointStatsWriter.pending(),
    clock,
    onError,
  });
  const health = new EndpointHealth(clock, random, endpointStatsWriter);
  const states = new PostgresEndpointStates(database, instance.id);
  const findRegistered = modelFinder(catalogue);
  const outageNotifier = new OutageNotifier({
    store: new PostgresModelOutages(database),
    clock,
    ownerOf: (modelId) => {
      const model = findRegistered(modelId);
      return model && { accountId: model.accountId, model: fullNameOf(model) };
    },
    compose: createWebhookEvent,
    onQueued,
    onError,
  });
  const stateSync = new EndpointStateSync({
    store: states,
    health,
    outageNotifier,
    instanceId: instance.id,
    isShared: (modelId) => findRegistered(modelId) !== undefined,
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
  endpointStatsWriter.start();
  stateSync.start();
  prober.start();
  return {
    services: { health, endpointStats, endpointStatsWriter, prober },
    onPeerNotice: (notice?: { readonly modelId: string; readonly by: string }) => stateSync.peerNoticed(notice),
    sweep: () => states.sweep(),
    async stop(): Promise<void> {
      await prober.stop();
      await stateSync.stop();
      await endpointStatsWriter.stop();
    },
  };
}

/** Finds registered models by id, in an index that is made once after each change of the catalogue. */
function modelFinder(catalogue: ModelCatalogue) {
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
