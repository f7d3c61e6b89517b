import { endOfPeriod, startOfPeriod } from "@trunkline/core/budget-period.ts";
import { systemClock } from "@trunkline/core/clock.ts";
import { Following } from "@trunkline/core/following.ts";
import { balanceLot } from "@trunkline/core/funds-pool.ts";
import { newId } from "@trunkline/core/id.ts";
import { newNewsFilter } from "@trunkline/core/message-throttle.ts";
import { Sealer } from "@trunkline/core/sealed.ts";
import { allBuiltins } from "@trunkline/local-models/load-builtins.ts";
import { ModelDesk } from "@trunkline/providers/catalogue/model-registry.ts";
import { checkEndpoint } from "@trunkline/providers/dialer/address-guard.ts";
import { openDialer } from "@trunkline/providers/dialer/dialer.ts";
import { KeyDesk } from "../identity/keys/key-desk.ts";
import { mintKeySecret } from "../identity/keys/key-format.ts";
import { Keyring } from "../identity/keys/keyring.ts";
import { Funds } from "../ledger/billing/funds.ts";
import { Settler } from "../ledger/billing/settlement-writer.ts";
import { RateLimiter } from "../ledger/limits/rate-limiter.ts";
import { Reconciler } from "../ledger/reconciler.ts";
import { Lookout } from "../notify/alert-monitor.ts";
import { Courier } from "../notify/webhooks/courier.ts";
import { letterSender } from "../notify/webhooks/send-letter.ts";
import { WebhookDesk } from "../notify/webhooks/webhook-desk.ts";
import { answersSoon } from "../store/database/answers-soon.ts";
import { listenForChanges } from "../store/database/changes.ts";
import { openDatabase } from "../store/database/database.ts";
import { PostgresFleet } from "../store/database/fleet.ts";
import { Instance } from "../store/database/instances.ts";
import { PostgresAccounts } from "../store/identity/accounts.ts";
import { PostgresApiKeys } from "../store/identity/api-keys.ts";
import { PostgresDeeds } from "../store/identity/audit-log.ts";
import { PostgresCustomers } from "../store/identity/customers.ts";
import { PostgresRuns } from "../store/ledger/idempotent-runs.ts";
import { PostgresLedger } from "../store/ledger/ledger.ts";
import { sealLedger } from "../store/ledger/seal-ledger.ts";
import { migrate } from "../store/migrate.ts";
import { PostgresAlerts } from "../store/notify/alerts.ts";
import { PostgresOutbox } from "../store/notify/outbox.ts";
import { PostgresWebhooks } from "../store/notify/webhooks.ts";
import { PostgresRateWindows } from "../store/rate-windows.ts";
import { PostgresSettings } from "../store/settings.ts";
import { Overviews } from "../store/usage/account-overview.ts";
import { Latencies } from "../store/usage/latencies.ts";
import { ReconciledUsage } from "../store/usage/reconciled-usage.ts";
import { Records } from "../store/usage/records.ts";
import { PostgresReports } from "../store/usage/reports.ts";
import { RequestLog } from "../store/usage/request-log.ts";
import { UsageSeries } from "../store/usage/usage-series.ts";
import { buildAvailability } from "./build-availability.ts";
import { buildBilling } from "./build-billing.ts";
import { buildCache } from "./build-cache.ts";
import { buildDiscovery } from "./build-discovery.ts";
import { buildPeople } from "./build-people.ts";
import { openAdapters } from "./create-adapters.ts";
import { buildBatches } from "./create-batches.ts";
import { buildRouting } from "./create-routing.ts";
import { buildSafety } from "./create-safety.ts";
import { LiveSettings } from "./live-settings.ts";
import { keepHouse } from "./maintenance.ts";
import { Metrics } from "./metrics.ts";
import { readDocs } from "./read-docs.ts";
import type { House, HouseSite } from "./services.ts";

/** Longer than any statement of a request should take: what takes longer is a connection that nobody answers on. */
const ANSWER_WITHIN_MS = 15_000;
/** Two instances that start at once must not both make the operator: the lock's number is ours alone. */
const PREPARATION_LOCK = 7_215_733_002;

/** Builds the house. What was opened is closed again where a later step fails. */
export async function buildHouse(site: HouseSite): Promise<House> {
  const opened: Opened = [];
  try {
    return await putTogether(site, opened);
  } catch (error) {
    // Whatever can't be closed any more must not hide why the house could not be built.
    for (const close of opened.toReversed()) await close().catch(() => undefined);
    throw error;
  }
}

/** How to close what was opened, in the order in which it was. */
type Opened = (() => Promise<void>)[];

/** The only place where things are made and put together. */
async function putTogether(
  { config, address, secret, log, clock = systemClock, random = Math.random }: HouseSite,
  opened: Opened,
): Promise<House> {
  const isNews = newNewsFilter(clock);
  const warnCalmly: House["warnCalmly"] = (error, words, requestId) => {
    if (isNews(`${words} ${error instanceof Error ? error.message : ""}`))
      log.warn({ error, requestId }, words);
  };
  const onBroken = (error: Error) => warnCalmly(error, "A connection to the store broke.");
  // Changes of the schema and chores take as long as they take; nothing that a client waits for should.
  const patient = openDatabase(address, onBroken, { connections: 2 });
  opened.push(() => patient.close());
  await migrate(patient);
  const database = openDatabase(address, onBroken, { answerWithinMs: ANSWER_WITHIN_MS });
  opened.push(() => database.close());
  let whenBack: () => Promise<void> = async () => undefined;
  const instance = await Instance.register(database, newId(clock.now()), () => {
    whenBack().catch((error: unknown) => log.warn({ error }, "The leases could not be looked up anew."));
  });
  opened.push(() => instance.leave());
  await instance.buryTheDead();
  await instance.returnOrphans();

  const apiKeys = new PostgresApiKeys(database);
  const keyring = new Keyring(apiKeys, clock);
  const keys = new KeyDesk({
    store: apiKeys,
    mint: mintKeySecret,
    clock,
    changed: () => keyring.forget(),
    startOfPeriod,
    endOfPeriod,
  });

  const ledger = await PostgresLedger.open(database, instance.id, () => instance.buryTheDead());
  const funds = new Funds(ledger, clock);
  whenBack = () => funds.resync();
  const settler = new Settler(ledger, (settlements) => lookout.noticeCharges(settlements));
  const runs = new PostgresRuns(database, instance.id, () => instance.buryTheDead());

  const builtins = await allBuiltins(await readDocs());
  const sealer = new Sealer(secret);
  const dialer = openDialer();
  opened.push(() => dialer.close());
  const accounts = new PostgresAccounts(database, (accountId) => lookout.noticeBalance(accountId));
  const found = await buildDiscovery({ config, database, sealer, log, dialer, accounts, builtins });
  const { modelStore, catalogue } = found;
  const send = letterSender(dialer, clock);
  const outbox = new PostgresOutbox(database, sealer);
  const courier = new Courier(outbox, send, (error) => warnCalmly(error, "The outbox could not be emptied."));
  const alerts = new PostgresAlerts(database);
  const lookout = new Lookout({
    store: alerts,
    startOfPeriod,
    endOfPeriod,
    clock,
    told: () => courier.poke(),
    onError: (error) => warnCalmly(error, "Budgets and balances could not be looked at."),
  });
  const adapters = openAdapters(dialer, builtins);
  const adapterFor: House["adapterFor"] = (model) => adapters[model.wire];
  const availability = await buildAvailability(
    { config, database, instanceId: instance.id, clock, random, catalogue, adapterFor, warnCalmly },
    () => courier.poke(),
  );
  opened.push(() => availability.stop());
  const { health } = availability.parts;
  const settings = new LiveSettings(new PostgresSettings(database), config);
  await settings.reload();

  const handlers = new Following();
  const cache = buildCache(database, clock, handlers, warnCalmly);
  const routing = await buildRouting({ database, clock, settings, found, random, handlers, warnCalmly });

  const changes = await listenForChanges(database, {
    onKeys: () => keyring.forget(),
    onModels: () => {
      Promise.all([catalogue.reload(), found.ownKeys.reload()]).catch((error: unknown) =>
        warnCalmly(error, "The catalogue could not be read anew."),
      );
    },
    onSettings: () => {
      settings.reload().catch((error: unknown) => warnCalmly(error, "The settings could not be read anew."));
    },
    onCacheDropped: (accountId) => cache.forget(accountId),
    onEndpoint: availability.heard,
    onLessons: () => routing.parts.lessonKeeper.refresh(),
    onRecall: ({ kind, id, by }) => {
      if (by === instance.id) return;
      funds
        .heed({ kind, id, goesFirst: by < instance.id })
        .catch((error: unknown) => log.warn({ error }, "A lease could not be given back."));
    },
  });
  const rateWindows = new PostgresRateWindows(database);
  const records = new Records(database);
  const models = new ModelDesk(modelStore, catalogue, checkEndpoint);
  const inFlight = new Set<AbortController>();
  const metrics = new Metrics(() => inFlight.size, availability.parts);
  const batching = buildBatches(
    { database, instanceId: instance.id, clock, inFlight, limits: config.limits, warnCalmly },
    () => courier.poke(),
  );
  const deeds = new PostgresDeeds(database);
  const community = buildPeople({
    config,
    database,
    clock,
    log,
    secret,
    sealer,
    deeds,
    handlers,
    warnCalmly,
    settings,
    balanceOf: async (accountId) => (await ledger.look(balanceLot(accountId))).total,
    keysChanged: () => keyring.forget(),
    modelsChanged: () => catalogue.reload(),
  });
  const stopHousekeeping = keepHouse({
    database: patient,
    instance,
    clock,
    funds,
    runs,
    rateWindows,
    outbox,
    alerts,
    models,
    records,
    doorkeepers: [...community.doorkeepers, cache, batching.batches, routing, availability],
    onTrouble: (error) => warnCalmly(error, "Housekeeping failed."),
  });
  lookout.begin();
  courier.poke();

  return {
    config,
    clock,
    log,
    warnCalmly,
    metrics,
    keyring,
    deeds,
    ...community.parts,
    rateLimiter: new RateLimiter(config.limits, rateWindows, clock),
    ...routing.parts,
    ...availability.parts,
    ...buildSafety({ clock, dialer, catalogue, adapterFor, health, metrics, settings, warnCalmly }),
    settings,
    customers: new PostgresCustomers(database),
    fleet: new PostgresFleet(database, instance.id),
    dialer,
    adapterFor,
    funds,
    settler,
    ledger,
    runs,
    cache,
    ...batching,
    accounts,
    ...found,
    ...buildBilling(database, rateWindows, (accountId) => lookout.noticeBalance(accountId)),
    apiKeys,
    keys,
    webhooks: new WebhookDesk({
      store: new PostgresWebhooks(database, sealer),
      checkEndpoint,
      send,
      clock,
      listening: (accountId) => lookout.noticeAccount(accountId),
    }),
    lookout,
    models,
    records,
    requestLog: new RequestLog(database),
    usageSeries: new UsageSeries(database),
    latencies: new Latencies(database),
    overviews: new Overviews(database, records),
    reconciler: new Reconciler(new PostgresReports(database), config.reconciliation, clock),
    reconciled: new ReconciledUsage(database),
    inFlight,
    handlers,
    recordRefusal: (settlement) => {
      settler
        .write(settlement)
        .catch((error: unknown) =>
          warnCalmly(error, "A refusal could not be put on record.", settlement.requestId),
        );
    },
    alone: (work) => database.alone(PREPARATION_LOCK, work),
    isReady: () => answersSoon(database),
    close: async () => {
      stopHousekeeping();
      await batching.batchWorker.stop();
      await found.rounds.stop();
      await handlers.idle();
      await community.parts.door.postman.stop();
      await settler.idle();
      await Promise.all([availability.stop(), routing.stop()]);
      await lookout.stop();
      await courier.stop();
      await changes.stop();
      await funds.rest();
      // A store that is away must not keep the process: whoever opens it next buries this instance.
      await instance
        .leave()
        .catch((error: unknown) => log.warn({ error }, "The leases could not be returned."));
      // Last, as leaving moves money too. What is not sealed now the next start will seal.
      await sealLedger(database).catch((error: unknown) =>
        log.warn({ error }, "The ledger could not be sealed."),
      );
      await Promise.all([dialer.close(), database.close(), patient.close()]);
    },
  };
}
