import { BackgroundWork } from "@trunkline/core/background-work.ts";
import { endOfPeriod, startOfPeriod } from "@trunkline/core/budget-period.ts";
import { type Clock, systemClock } from "@trunkline/core/clock.ts";
import { balancePool } from "@trunkline/core/funds-pool.ts";
import { newId } from "@trunkline/core/id.ts";
import { createMessageThrottle } from "@trunkline/core/message-throttle.ts";
import { Sealer } from "@trunkline/core/secret.ts";
import { loadBuiltins } from "@trunkline/local-models/load-builtins.ts";
import { ModelRegistry } from "@trunkline/providers/catalogue/model-registry.ts";
import { checkEndpoint } from "@trunkline/providers/dialer/address-guard.ts";
import { createDialer } from "@trunkline/providers/dialer/dialer.ts";
import { AnswerCache } from "../cache/answer-cache.ts";
import { ApiKeys } from "../identity/keys/api-keys.ts";
import { Keyring, mintKeySecret } from "../identity/keys/keyring.ts";
import { AccountFunds } from "../ledger/billing/account-funds.ts";
import { RedeemCodes } from "../ledger/billing/redeem-codes.ts";
import { SettlementWriter } from "../ledger/billing/settlement-writer.ts";
import { RateLimiter } from "../ledger/limits/rate-limiter.ts";
import type { RateWindows } from "../ledger/limits/token-bucket.ts";
import { TryLimiter } from "../ledger/limits/try-limiter.ts";
import { Reconciler } from "../ledger/reconciliation.ts";
import { AlertMonitor } from "../notify/alert-monitor.ts";
import { createWebhookSender } from "../notify/webhooks/deliver.ts";
import { WebhookDispatcher } from "../notify/webhooks/dispatcher.ts";
import { Webhooks } from "../notify/webhooks/webhooks.ts";
import { PostgresCachedAnswers } from "../store/cached-answers.ts";
import { listenForChanges } from "../store/database/changes.ts";
import { type Database, isReady, openDatabase } from "../store/database/database.ts";
import { PostgresFleet } from "../store/database/fleet.ts";
import { Instance } from "../store/database/instances.ts";
import { PostgresAccounts, PostgresCustomers } from "../store/identity/accounts.ts";
import { PostgresApiKeys } from "../store/identity/api-keys.ts";
import { PostgresAuditLog } from "../store/identity/audit-log.ts";
import { PostgresBillingDetails } from "../store/ledger/billing-details.ts";
import { PostgresIdempotentRuns } from "../store/ledger/idempotent-runs.ts";
import { PostgresLedger } from "../store/ledger/ledger.ts";
import { PostgresRedeemCodes } from "../store/ledger/redeem-codes.ts";
import { sealLedger } from "../store/ledger/seal-ledger.ts";
import { PostgresStatementsReader } from "../store/ledger/statements-reader.ts";
import { migrate } from "../store/migrate.ts";
import { PostgresAlerts } from "../store/notify/alerts.ts";
import { PostgresOutbox } from "../store/notify/outbox.ts";
import { PostgresWebhooks } from "../store/notify/webhooks.ts";
import { PostgresRateWindows } from "../store/rate-limits.ts";
import { PostgresSettings } from "../store/settings.ts";
import { AccountOverviews } from "../store/usage/account-overview.ts";
import { PostgresProviderReports, ReconciledUsage } from "../store/usage/reconciliation.ts";
import { RequestLog } from "../store/usage/request-log.ts";
import { LatencySeries, UsageSeries } from "../store/usage/time-series.ts";
import { UsageReader } from "../store/usage/usage-reader.ts";
import { createAdapters } from "./create-adapters.ts";
import { createBatches } from "./create-batches.ts";
import { createIdentity } from "./create-identity.ts";
import { createDiscovery, createEndpointHealth } from "./create-provider-services.ts";
import { createRouting } from "./create-routing.ts";
import { createSafety } from "./create-safety.ts";
import { LiveSettings } from "./live-settings.ts";
import { startMaintenance } from "./maintenance.ts";
import { Metrics } from "./metrics.ts";
import { readDocs } from "./read-docs.ts";
import type { AppOptions, Services } from "./services.ts";

/** Longer than any statement of a request should take: what takes longer is a dead connection. */
const ANSWER_WITHIN_MS = 15_000;
/** Two instances that start at once must not both make the operator: the lock's number is ours alone. */
const PREPARATION_LOCK = 7_215_733_002;

/** Creates all services. What was opened is closed again where a later step fails. */
export async function createServices(options: AppOptions): Promise<Services> {
  const opened: Opened = [];
  try {
    return await connectServices(options, opened);
  } catch (error) {
    // A failure to close must not hide why the services could not be created.
    for (const close of opened.toReversed()) await close().catch(() => undefined);
    throw error;
  }
}

/** How to close what was opened, in the order in which it was. */
type Opened = (() => Promise<void>)[];

/** The only place where things are made and put together. */
async function connectServices(
  { config, address, secret, log, clock = systemClock, random = Math.random }: AppOptions,
  opened: Opened,
): Promise<Services> {
  const isNews = createMessageThrottle(clock);
  const warnThrottled: Services["warnThrottled"] = (error, words, requestId) => {
    if (isNews(`${words} ${error instanceof Error ? error.message : ""}`)) log.warn({ error, requestId }, words);
  };
  const onBroken = (error: Error) => warnThrottled(error, "A database connection was lost.");
  // Changes of the schema and chores take as long as they take; nothing that a client waits for should.
  const patient = openDatabase(address, onBroken, { connections: 2 });
  opened.push(() => patient.close());
  await migrate(patient);
  const database = openDatabase(address, onBroken, { statementTimeoutMs: ANSWER_WITHIN_MS });
  opened.push(() => database.close());
  let whenBack: () => Promise<void> = async () => undefined;
  const instance = await Instance.register(database, newId(clock.now()), () => {
    whenBack().catch((error: unknown) => log.warn({ error }, "The leases could not be reloaded."));
  });
  opened.push(() => instance.deregister());
  await instance.reclaimDeadInstances();
  await instance.returnOrphanedLeases();

  const apiKeys = new PostgresApiKeys(database);
  const keyring = new Keyring(apiKeys, clock);
  const keys = new ApiKeys({
    store: apiKeys,
    mint: mintKeySecret,
    clock,
    onChange: () => keyring.invalidate(),
    startOfPeriod,
    endOfPeriod,
  });

  const ledger = await PostgresLedger.open(database, instance.id, () => instance.reclaimDeadInstances());
  const accountFunds = new AccountFunds(ledger, clock);
  whenBack = () => accountFunds.resync();
  const settlementWriter = new SettlementWriter(ledger, (settlements) => alertMonitor.onCharges(settlements));
  const runs = new PostgresIdempotentRuns(database, instance.id, () => instance.reclaimDeadInstances());

  const builtins = await loadBuiltins(await readDocs());
  const sealer = new Sealer(secret);
  const dialer = createDialer();
  opened.push(() => dialer.close());
  const accounts = new PostgresAccounts(database, (accountId) => alertMonitor.onBalanceChange(accountId));
  const found = await createDiscovery({ config, database, sealer, log, dialer, accounts, builtins });
  const { modelStore, catalogue } = found;
  const send = createWebhookSender(dialer, clock);
  const outbox = new PostgresOutbox(database, sealer);
  const webhookDispatcher = new WebhookDispatcher(outbox, send, (error) =>
    warnThrottled(error, "Webhook deliveries could not be sent."),
  );
  const alerts = new PostgresAlerts(database);
  const alertMonitor = new AlertMonitor({
    store: alerts,
    startOfPeriod,
    endOfPeriod,
    clock,
    onQueued: () => webhookDispatcher.wake(),
    onError: (error) => warnThrottled(error, "Budgets and balances could not be checked for alerts."),
  });
  const adapters = createAdapters(dialer, builtins);
  const adapterFor: Services["adapterFor"] = (model) => adapters[model.wire];
  const availability = await createEndpointHealth(
    {
      config,
      database,
      instanceId: instance.id,
      clock,
      random,
      catalogue,
      adapterFor,
      warnThrottled: warnThrottled,
    },
    () => webhookDispatcher.wake(),
  );
  opened.push(() => availability.stop());
  const { health } = availability.parts;
  const settings = new LiveSettings(new PostgresSettings(database), config);
  await settings.reload();

  const backgroundWork = new BackgroundWork();
  const cache = createCache(database, clock, backgroundWork, warnThrottled);
  const routing = await createRouting({
    database,
    clock,
    settings,
    found,
    random,
    backgroundWork,
    warnThrottled,
  });

  const changes = await listenForChanges(database, {
    onKeys: () => keyring.invalidate(),
    onModels: () => {
      Promise.all([catalogue.reload(), found.providerKeys.reload()]).catch((error: unknown) =>
        warnThrottled(error, "The catalogue could not be reloaded."),
      );
    },
    onSettings: () => {
      settings.reload().catch((error: unknown) => warnThrottled(error, "The settings could not be reloaded."));
    },
    onCacheDropped: (accountId) => cache.evictLocal(accountId),
    onEndpoint: availability.heard,
    onOutcomes: () => routing.parts.outcomeSync.markStale(),
    onRecall: ({ kind, id, by }) => {
      if (by === instance.id) return;
      accountFunds
        .onRecall({ kind, id, hasPriority: by < instance.id })
        .catch((error: unknown) => log.warn({ error }, "A lease could not be returned."));
    },
  });
  const rateWindows = new PostgresRateWindows(database);
  const usageReader = new UsageReader(database);
  const models = new ModelRegistry(modelStore, catalogue, checkEndpoint);
  const inFlight = new Set<AbortController>();
  const metrics = new Metrics(() => inFlight.size, availability.parts);
  const batching = createBatches(
    {
      database,
      instanceId: instance.id,
      clock,
      inFlight,
      limits: config.limits,
      warnThrottled: warnThrottled,
    },
    () => webhookDispatcher.wake(),
  );
  const auditLog = new PostgresAuditLog(database);
  const community = createIdentity({
    config,
    database,
    clock,
    log,
    secret,
    sealer,
    auditLog,
    backgroundWork,
    warnThrottled,
    settings,
    balanceOf: async (accountId) => (await ledger.readPool(balancePool(accountId))).total,
    keysChanged: () => keyring.invalidate(),
    modelsChanged: () => catalogue.reload(),
  });
  const stopMaintenance = startMaintenance({
    database: patient,
    instance,
    clock,
    accountFunds,
    runs,
    rateWindows,
    outbox,
    alerts,
    models,
    usageReader,
    sweepers: [...community.sweepers, cache, batching.batches, routing, availability],
    onError: (error) => warnThrottled(error, "Maintenance failed."),
  });
  alertMonitor.start();
  webhookDispatcher.wake();

  return {
    config,
    clock,
    log,
    warnThrottled: warnThrottled,
    metrics,
    keyring,
    auditLog: auditLog,
    ...community.parts,
    rateLimiter: new RateLimiter(config.limits, rateWindows, clock),
    ...routing.parts,
    ...availability.parts,
    ...createSafety({
      clock,
      dialer,
      catalogue,
      adapterFor,
      health,
      metrics,
      settings,
      warnThrottled: warnThrottled,
    }),
    settings,
    customers: new PostgresCustomers(database),
    fleet: new PostgresFleet(database, instance.id),
    dialer,
    adapterFor,
    accountFunds,
    settlementWriter,
    ledger,
    idempotentRuns: runs,
    cache,
    ...batching,
    accounts,
    ...found,
    ...createBilling(database, rateWindows, (accountId) => alertMonitor.onBalanceChange(accountId)),
    apiKeys,
    keys,
    webhooks: new Webhooks({
      store: new PostgresWebhooks(database, sealer),
      checkEndpoint,
      send,
      clock,
      onSubscribed: (accountId) => alertMonitor.onAccountChange(accountId),
    }),
    alertMonitor,
    models,
    usageReader,
    requestLog: new RequestLog(database),
    usageSeries: new UsageSeries(database),
    latencySeries: new LatencySeries(database),
    accountOverviews: new AccountOverviews(database, usageReader),
    reconciler: new Reconciler(new PostgresProviderReports(database), config.reconciliation, clock),
    reconciledUsage: new ReconciledUsage(database),
    inFlight,
    backgroundWork: backgroundWork,
    recordRefusal: (settlement) => {
      settlementWriter
        .write(settlement)
        .catch((error: unknown) => warnThrottled(error, "A refusal could not be recorded.", settlement.requestId));
    },
    runExclusive: (work) => database.runExclusive(PREPARATION_LOCK, work),
    isReady: () => isReady(database),
    close: async () => {
      stopMaintenance();
      await batching.batchWorker.stop();
      await found.discoverySchedule.stop();
      await backgroundWork.whenIdle();
      await community.parts.identity.mailer.stop();
      await settlementWriter.idle();
      await Promise.all([availability.stop(), routing.stop()]);
      await alertMonitor.stop();
      await webhookDispatcher.stop();
      await changes.stop();
      await accountFunds.idle();
      // An unreachable store must not keep the process alive: another instance will reclaim this one.
      await instance.deregister().catch((error: unknown) => log.warn({ error }, "The leases could not be returned."));
      // Last, as leaving moves money too. What is not sealed now the next start will seal.
      await sealLedger(database).catch((error: unknown) => log.warn({ error }, "The ledger could not be sealed."));
      await Promise.all([dialer.close(), database.close(), patient.close()]);
    },
  };
}

/** The response cache: whatever is wrong with it is said once, and costs a request nothing but the cache. */
function createCache(
  database: Database,
  clock: Clock,
  backgroundWork: BackgroundWork,
  warnThrottled: Services["warnThrottled"],
): AnswerCache {
  return new AnswerCache({
    store: new PostgresCachedAnswers(database),
    clock,
    track: (work) => void backgroundWork.track(work),
    onError: (error) => warnThrottled(error, "The response cache could not be read."),
  });
}

/** Creates the services that alert accounts about their money; `onCredit` is called when a balance has grown. */
function createBilling(
  database: Database,
  rateWindows: RateWindows,
  onCredit: (accountId: string) => void,
): Pick<Services, "statementsReader" | "billingDetails" | "redeemCodes" | "redeemCodeStore" | "tryLimiter"> {
  const redeemCodes = new PostgresRedeemCodes(database);
  return {
    statementsReader: new PostgresStatementsReader(database),
    billingDetails: new PostgresBillingDetails(database),
    redeemCodes: new RedeemCodes(redeemCodes, onCredit),
    redeemCodeStore: redeemCodes,
    tryLimiter: new TryLimiter(rateWindows),
  };
}
