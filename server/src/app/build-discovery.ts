import type { Logger } from "@trunkline/core/log.ts";
import type { Sealer } from "@trunkline/core/sealed.ts";
import type { Builtin } from "@trunkline/local-models/builtin.ts";
import { ModelCatalogue } from "@trunkline/providers/catalogue/model-catalogue.ts";
import { OwnKeys } from "@trunkline/providers/catalogue/own-keys.ts";
import type { Dialer } from "@trunkline/providers/dialer/dialer.ts";
import { Discovery } from "@trunkline/providers/discovery/discovery.ts";
import { DiscoveryRounds } from "@trunkline/providers/discovery/discovery-schedule.ts";
import { OfferedKeys } from "@trunkline/providers/discovery/offered-keys.ts";
import type { Database } from "../store/database/database.ts";
import type { PostgresAccounts } from "../store/identity/accounts.ts";
import { PostgresModels } from "../store/models/models.ts";
import { PostgresProviderKeys } from "../store/models/provider-keys.ts";
import type { Config } from "./config/config.ts";

interface DiscoverySite {
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
export async function buildDiscovery(site: DiscoverySite) {
  const { config, log, dialer, accounts, builtins } = site;
  const modelStore = new PostgresModels(site.database, site.sealer);
  const offered = new OfferedKeys(config.discovery);
  const builtinModels = builtins.map((builtin) => builtin.model);
  const catalogue = new ModelCatalogue(modelStore, builtinModels, offered);
  await catalogue.reload();
  const discovery = new Discovery({
    store: modelStore,
    catalogue,
    bases: config.discovery.bases,
    ownKeyFeePpm: BigInt(config.ownKeyFeePpm),
    isTaken: async (providerId) => (await accounts.findByProvider(providerId))?.operator === false,
    onTaken: (provider) =>
      log.warn(
        { provider },
        "This provider's name belongs to an account here: the models that are known of it are not offered.",
      ),
  });
  const ownKeys = new OwnKeys({
    store: new PostgresProviderKeys(site.database, site.sealer),
    catalogue,
    canServe: (providerId) => discovery.canServe(providerId),
    putIn: async (providerId) => {
      const operator = await accounts.findOperator();
      if (operator !== undefined) await discovery.putIn(operator.id, [providerId]);
    },
    isOffered: (model) => offered.isOffered(model),
  });
  await ownKeys.reload();
  const rounds = new DiscoveryRounds({
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
  return { modelStore, catalogue, discovery, ownKeys, rounds };
}
