import { fullNameOf } from "@trunkline/core/model.ts";
import { RetryBudget } from "@trunkline/providers/call/retry-budget.ts";
import type { RegisteredModel } from "@trunkline/providers/catalogue/model-store.ts";
import { EndpointHealth } from "@trunkline/providers/health/endpoint-health.ts";
import { EndpointKeeper } from "@trunkline/providers/health/endpoint-state-sync.ts";
import { OutageTeller } from "@trunkline/providers/health/outage-notifier.ts";
import { Prober } from "@trunkline/providers/health/prober.ts";
import { composeEvent } from "../notify/webhooks/event.ts";
import type { Database } from "../store/database/database.ts";
import { PostgresEndpointStates } from "../store/models/endpoint-states.ts";
import { PostgresModelOutages } from "../store/models/model-outages.ts";
import { buildDiary } from "./build-diary.ts";
import type { House } from "./services.ts";

interface AvailabilitySite
  extends Pick<House, "config" | "clock" | "catalogue" | "adapterFor" | "warnCalmly"> {
  readonly database: Database;
  readonly instanceId: string;
  readonly random: () => number;
}

/**
 * The part of the house that knows how endpoints do and whether they may be called. `told` is called when an owner is to
 * hear of an outage. `build-house.ts` alone calls it.
 */
export async function buildAvailability(site: AvailabilitySite, told: () => void) {
  const { config, database, instanceId, clock, random, catalogue, adapterFor, warnCalmly } = site;
  const onError = (error: unknown) => warnCalmly(error, "How the endpoints do could not be kept or read.");
  const { diary, board } = buildDiary(database, clock, warnCalmly);
  const health = new EndpointHealth(clock, random, diary);
  const states = new PostgresEndpointStates(database, instanceId);
  const registered = finder(catalogue);
  const teller = new OutageTeller({
    store: new PostgresModelOutages(database),
    clock,
    ownerOf: (modelId) => {
      const model = registered(modelId);
      return model && { accountId: model.accountId, model: fullNameOf(model) };
    },
    compose: composeEvent,
    told,
    onError,
  });
  const isShared = (modelId: string) => registered(modelId) !== undefined;
  const keeper = new EndpointKeeper({ store: states, health, teller, instanceId, isShared, onError });
  const prober = new Prober({
    isOn: config.routing.probes,
    health,
    clock,
    random,
    adapterFor,
    models: () => catalogue.registered(),
    takeTurn: (everyMs) => states.takeProbeTurn(everyMs),
    onError: (error) => warnCalmly(error, "An idle model could not be probed."),
  });
  await keeper.load();
  keeper.begin();
  prober.begin();
  return {
    parts: { diary, board, health, prober, retries: new RetryBudget(clock) },
    heard: (notice?: { readonly modelId: string; readonly by: string }) => keeper.heard(notice),
    sweep: () => states.sweep(),
    async stop(): Promise<void> {
      await prober.stop();
      await keeper.stop();
      await diary.stop();
    },
  };
}

/** Finds registered models by their ids; looked through once after each change. */
function finder(catalogue: House["catalogue"]) {
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
