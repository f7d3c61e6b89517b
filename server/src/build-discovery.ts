import type { Config } from "./config.ts";
import type { Dialer } from "./kit/dialer.ts";
import type { Logger } from "./kit/log.ts";
import type { Sealer } from "./kit/sealed.ts";
import type { Builtin } from "./providers/builtin/builtin.ts";
import { Discovery } from "./providers/known/discovery.ts";
import { OfferedKeys } from "./providers/known/offered-keys.ts";
import { DiscoveryRounds } from "./providers/known/rounds.ts";
import { ModelCatalogue } from "./providers/model-catalogue.ts";
import { OwnKeys } from "./providers/own-keys.ts";
import type { PostgresAccounts } from "./store/accounts.ts";
import type { Database } from "./store/database.ts";
import { PostgresModels } from "./store/models.ts";
import { PostgresProviderKeys } from "./store/provider-keys.ts";

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
