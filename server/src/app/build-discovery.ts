import type { Logger } from "@trunkline/core/log.ts";
import type { Sealer } from "@trunkline/core/sealed.ts";
import type { Builtin } from "@trunkline/local-models/builtin.ts";
import { ModelCatalogue } from "@trunkline/providers/catalogue/model-catalogue.ts";
import { ProviderKeys } from "@trunkline/providers/catalogue/own-keys.ts";
import type { Dialer } from "@trunkline/providers/dialer/dialer.ts";
import { Discovery } from "@trunkline/providers/discovery/discovery.ts";
import { DiscoverySchedule } from "@trunkline/providers/discovery/discovery-schedule.ts";
import { OfferedModelKeys } from "@trunkline/providers/discovery/offered-keys.ts";
import type { Database } from "../store/database/database.ts";
import type { PostgresAccounts } from "../store/identity/accounts.ts";
import { PostgresModels } from "../store/models/models.ts";
import { PostgresProviderKeys } from "../store/models/provider-keys.ts";
import type { Config } from "./config/config.ts";

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
 * The part of the house that knows the models: those that were registered, those that are known without being told of, and
 * what accounts' own keys for providers make of them. `build-house.ts` alone calls it.
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
