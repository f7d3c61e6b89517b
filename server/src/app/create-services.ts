import { readdir, readFile } from "node:fs/promises";
import { ActiveList } from "@trunkline/core/active-list.ts";
import { BackgroundWork } from "@trunkline/core/background-work.ts";
import type { Cancellation } from "@trunkline/core/cancellation.ts";
import { systemClock } from "@trunkline/core/clock.ts";
import { createMessageThrottle } from "@trunkline/core/message-throttle.ts";
import { Sealer } from "@trunkline/core/secret.ts";
import { type Doc, loadBuiltins } from "@trunkline/local-models/load-builtins.ts";
import { createDialer } from "@trunkline/providers/dialer/dialer.ts";
import { BatchWorker } from "../batches/batch-worker.ts";
import { type Batch, Batches } from "../batches/batches.ts";
import { AnswerCache } from "../cache/answer-cache.ts";
import { toBatchResponse } from "../http/responses/batch.ts";
import { createWebhookEvent } from "../notify/webhooks/deliver.ts";
import { PostgresBatches } from "../store/batches/batches.ts";
import { PostgresFiles } from "../store/batches/files.ts";
import { PostgresCachedAnswers } from "../store/cached-answers.ts";
import { NOTHING_ELSEWHERE } from "../store/clusters/accounts-elsewhere.ts";
import { ClusterDirectory } from "../store/clusters/cluster-directory.ts";
import { listenForChanges } from "../store/database/changes.ts";
import { createReadinessCheck } from "../store/database/database.ts";
import { PostgresFleet } from "../store/database/fleet.ts";
import { PostgresSealedBoxes } from "../store/sealed-boxes.ts";
import { PostgresSettings } from "../store/settings.ts";
import { StoreClock } from "../store/store-clock.ts";
import { PostgresConversations } from "../store/stored-responses/conversations.ts";
import { PostgresStoredResponses } from "../store/stored-responses/responses.ts";
import { Conversations } from "../stored-responses/conversations.ts";
import { StoredResponses } from "../stored-responses/stored-responses.ts";
import { OutboundTlsFiles } from "../tls/outbound-tls-files.ts";
import { movedAccounts, placeServices, runClusters } from "./cluster-services.ts";
import { createCard } from "./create-card.ts";
import { createGuardrailHooks } from "./create-guardrail-hooks.ts";
import { createIdentity } from "./create-identity.ts";
import { createLedger, createLimits } from "./create-ledger.ts";
import { createLogSinks } from "./create-log-sinks.ts";
import { createNotify } from "./create-notify.ts";
import { createProviders } from "./create-providers.ts";
import { createRouting } from "./create-routing.ts";
import { createSafety } from "./create-safety.ts";
import { moneyCounts } from "./create-spending.ts";
import { createTelemetry } from "./create-telemetry.ts";
import { createTls } from "./create-tls.ts";
import { createToken } from "./create-token.ts";
import { createUsage } from "./create-usage.ts";
import { createX402 } from "./create-x402.ts";
import { LiveSettings } from "./live-settings.ts";
import { startMaintenance } from "./maintenance.ts";
import { Metrics } from "./metrics.ts";
import { openStore } from "./open-store.ts";
import { SEALER_PURPOSES, SecretRotation } from "./secret-rotation.ts";
import type { AppOptions, BaseServices, BatchServices, Services, StoredResponseServices } from "./services.ts";

/** The number of the lock under which one instance at a time makes the operator. */
const PREPARATION_LOCK = 7_215_733_002;

type StopStep = () => Promise<void>;

/** Creates all services. What was opened is closed again where a later step fails. */
export async function createServices(options: AppOptions): Promise<Services> {
  const stopSteps: StopStep[] = [];
  try {
    return await createParts(options, stopSteps);
  } catch (error) {
    // A failure to stop must not hide why the services could not be created.
    for (const stop of stopSteps.toReversed()) await stop().catch(() => undefined);
    throw error;
  }
}

/** Adds to `stopSteps` as it creates. They run in reverse order, so that each part stops before those it uses. */
async function createParts(options: AppOptions, stopSteps: StopStep[]): Promise<Services> {
  const { config, address, secret, secretFallback, log, mergeMetrics } = options;
  const { clock = new StoreClock(systemClock), random = Math.random } = options;
  const isNews = createMessageThrottle(clock);
  const warnThrottled: Services["warnThrottled"] = (error, words, requestId) => {
    if (isNews(`${words} ${error instanceof Error ? error.message : ""}`)) log.warn({ error, requestId }, words);
  };
  const onStop = (step: StopStep) => void stopSteps.push(step);

  let resyncLeases: StopStep = async () => undefined;
  const { database, maintenanceDatabase, instance, replica, clusters } = await openStore({
    address,
    readUrl: config.databaseReadUrl,
    otherUrls: config.otherDatabaseUrls,
    workers: config.workers,
    clock,
    log,
    warnThrottled,
    onRegisteredAgain: () => {
      resyncLeases().catch((error: unknown) => log.warn({ error }, "The leases could not be reloaded."));
    },
    onStop,
  });
  const outboundTls = OutboundTlsFiles.open(config.outboundTls, (words, error) => log.warn({ error }, words));
  const dialer = createDialer({ tlsTerms: (host) => outboundTls.termsOf(host) });
  onStop(() => dialer.close());
  const settings = new LiveSettings(new PostgresSettings(database), config);
  await settings.reload();
  const backgroundWork = new BackgroundWork();
  const sealer = new Sealer(secret, SEALER_PURPOSES.credentials, secretFallback);
  const base: BaseServices = {
    config,
    clock,
    random,
    log,
    warnThrottled,
    settings,
    database,
    clusters,
    elsewhere: clusters?.elsewhere ?? NOTHING_ELSEWHERE,
    instance,
    sealer,
    dialer,
    backgroundWork,
  };

  const tls = await createTls(base);
  onStop(async () => tls?.certificates.stop());
  const notify = createNotify(base);
  const ledger = await createLedger(base, notify.services, notify.billingMail);
  const { funds, settlementWriter } = ledger.services;
  const spendings = [...ledger.spending.values()].map((created) => created.services);
  resyncLeases = async () => void (await Promise.all(spendings.map((spending) => spending.funds.resync())));
  onStop(async () => void (await Promise.all(spendings.map((spending) => spending.funds.idle()))));
  // Set when all parts exist, and run after they have stopped: until then, peers may recall leases.
  let stopListening: StopStep = async () => undefined;
  onStop(() => stopListening());
  onStop(() => notify.stop());
  const limits = createLimits(base, settlementWriter);
  const token = await createToken(base, notify.services);
  onStop(() => token.stop());
  const x402 = await createX402(base, ledger.services);
  onStop(() => x402.stop());
  const identity = createIdentity({
    ...base,
    secret,
    secretFallback,
    notify: notify.services,
    ledger: ledger.services,
    onModelsChanged: () => providers.services.catalogue.reload(),
  });
  const card = createCard({
    ...base,
    notify: notify.services,
    onQueued: notify.onQueued,
    identity: identity.services,
  });
  const { keyring, accounts } = identity.services;
  const builtins = await loadBuiltins(await sharedDocs());
  const providers = await createProviders({ ...base, accounts, builtins, onQueued: notify.onQueued });
  onStop(() => providers.stop());
  const routing = await createRouting(base, providers.services.providerKeys);
  onStop(() => routing.stop());
  const cache = createCache(base);
  const inFlight = new ActiveList<Cancellation>();
  const batching = createBatches(
    base,
    new Sealer(secret, SEALER_PURPOSES.files, secretFallback),
    inFlight,
    notify.onQueued,
  );
  const stored = createStoredResponses(base, new Sealer(secret, SEALER_PURPOSES.responses, secretFallback));
  const clockSkewMs = () => (clock instanceof StoreClock ? clock.skewMs : undefined);
  const metrics = new Metrics(
    () => inFlight.size,
    limits.services.admissionQueue,
    providers.services,
    moneyCounts(ledger.services.settledTotals, spendings),
    mergeMetrics,
    clockSkewMs,
  );
  if (tls !== undefined) metrics.watchCertificate(() => tls.certificates.current?.validTo);
  const logSinks = createLogSinks(base, metrics);
  onStop(() => logSinks.stop());
  const guardrailHooks = createGuardrailHooks(base, metrics);
  const telemetry = await createTelemetry(base, metrics, logSinks);
  onStop(() => telemetry.stop());
  const guardFor = createSafety({ ...base, metrics, providers: providers.services });
  const usage = createUsage(base, replica, clusters && movedAccounts(clusters, ledger.spending));

  // What still sends and writes ends before what it uses: requests in the background, their e-mails, their charges.
  onStop(async () => void (await Promise.all(spendings.map((spending) => spending.settlementWriter.idle()))));
  onStop(() => notify.stopMail());
  onStop(() => backgroundWork.whenIdle());
  onStop(() => providers.services.discoverySchedule.stop());
  onStop(() => batching.services.worker.stop());
  onStop(() => card.stop());

  const clusterWork =
    clusters && (await runClusters({ config, clusters, spending: ledger.spending, clock, log, warnThrottled }));
  onStop(async () => clusterWork?.stop());
  const changes = await listenForChanges(database, {
    onKeys: () => {
      clusterWork?.onKeys();
      keyring.invalidate();
      logSinks.invalidate();
      guardrailHooks.invalidate();
    },
    onKeyCheck: () => keyring.refresh(),
    onModels: () => {
      providers.reloadModels().catch((error: unknown) => warnThrottled(error, "The catalogue could not be reloaded."));
    },
    onSettings: () => {
      settings.reload().catch((error: unknown) => warnThrottled(error, "The settings could not be reloaded."));
    },
    onCacheDropped: (accountId) => cache.evictLocal(accountId),
    onEndpoint: providers.onPeerNotice,
    onOutcomes: () => routing.services.outcomeSync.markStale(),
    onCertificates: () => void tls?.certificates.refresh(),
    onPlacements: () => {
      clusters?.placements
        .reload()
        .catch((error: unknown) => warnThrottled(error, "It could not be read where accounts are."));
    },
    onRecall: ({ kind, id, by }) => {
      if (by === instance.id) return;
      funds
        .onRecall({ kind, id, hasPriority: by < instance.id })
        .catch((error: unknown) => log.warn({ error }, "A lease could not be returned."));
    },
  });
  stopListening = () => changes.stop();
  const secretRotation = new SecretRotation({
    store: new PostgresSealedBoxes(maintenanceDatabase),
    secret,
    fallback: secretFallback,
    clock,
    log,
  });
  const stopMaintenance = startMaintenance({
    requestRetention: config.requestRetention,
    database: maintenanceDatabase,
    elsewhere: base.elsewhere,
    clusterSweeper: clusters?.sweeper,
    instance,
    clock,
    funds,
    models: providers.services.models,
    usageReader: usage.reader,
    providerFeePpm: config.payouts.feePpm,
    sweepers: [
      ledger,
      limits,
      notify,
      identity,
      cache,
      logSinks,
      batching,
      stored.responses,
      stored.conversations,
      routing,
      providers,
      outboundTls,
      secretRotation,
      ...(tls === undefined ? [] : [tls]),
    ],
    onError: (error) => warnThrottled(error, "Maintenance failed."),
  });
  onStop(async () => stopMaintenance());
  notify.start();
  token.start();
  x402.start();

  let isStopping = false;
  const isStoreReady = createReadinessCheck(database);
  const services: Omit<Services, "forAccount"> = {
    config,
    clock,
    log,
    warnThrottled,
    metrics,
    tracer: telemetry.tracer,
    observeRequest: telemetry.observeRequest,
    logSinks,
    guardrailHooks,
    settings,
    identity: identity.services,
    ledger: ledger.services,
    token: token.services,
    card: card.services,
    x402: x402.services,
    tls,
    limits: limits.services,
    providers: providers.services,
    routing: routing.services,
    guardFor,
    cache,
    batching: batching.services,
    stored,
    usage,
    notify: notify.services,
    clusterDirectory: clusters && new ClusterDirectory(clusters.all),
    lifecycle: {
      inFlight,
      backgroundWork,
      fleet: new PostgresFleet(database, instance.id, base.elsewhere),
      runExclusive: (work) => database.runExclusive(PREPARATION_LOCK, work),
      clockSkewMs,
      isReady: async () => !isStopping && (await isStoreReady()),
      announceStop: () => {
        isStopping = true;
      },
      close: async () => {
        for (const stop of stopSteps.toReversed()) await stop();
      },
    },
  };
  return placeServices(services, clusters, ledger.spending);
}

/** A failure of the response cache is logged and counts as a miss. */
function createCache({ database, clock, backgroundWork, warnThrottled }: BaseServices): AnswerCache {
  return new AnswerCache({
    store: new PostgresCachedAnswers(database),
    clock,
    track: (work) => void backgroundWork.track(work),
    onError: (error) => warnThrottled(error, "The response cache could not be read."),
  });
}

/** A response that can't be kept is logged. Its client has the answer all the same. */
function createStoredResponses(
  { config, database, clock, warnThrottled }: BaseServices,
  sealer: Sealer,
): StoredResponseServices {
  const common = { sealer, clock, days: config.storedResponseDays };
  return {
    responses: new StoredResponses({
      ...common,
      store: new PostgresStoredResponses(database),
      onError: (error) => warnThrottled(error, "A response could not be kept."),
    }),
    conversations: new Conversations({ ...common, store: new PostgresConversations(database) }),
  };
}

/** Creates the batch operations and the worker that runs batches. `onEventQueued` is called at a batch's end. */
function createBatches(
  { config, database, instance, clock, warnThrottled }: BaseServices,
  sealer: Sealer,
  inFlight: { readonly size: number },
  onEventQueued: () => void,
): { readonly services: BatchServices; sweep(): Promise<void> } {
  // Half of the capacity is reserved for interactive requests.
  const hasCapacity = () => inFlight.size < config.limits.concurrentRequests / 2;
  const onError = (error: unknown) => warnThrottled(error, "A batch could not be processed.");
  const store = new PostgresBatches(database, instance.id);
  const files = new PostgresFiles(database);
  const eventOf = (batch: Batch) => {
    const { status, ...shown } = toBatchResponse(batch);
    const type = `batch.${status}` as const;
    if (type === "batch.completed" || type === "batch.failed" || type === "batch.expired" || type === "batch.cancelled")
      return createWebhookEvent(type, { batch: { status, ...shown } }, clock.now());
    throw new Error(`A batch can't end as ${status}.`);
  };
  const worker = new BatchWorker({ batches: store, files, clock, hasCapacity, eventOf, onEventQueued }, onError);
  const batches = new Batches({ batches: store, files, clock, sealer, onChange: () => worker.wake() });
  return { services: { batches, worker }, sweep: () => batches.sweep() };
}

let docs: Promise<Doc[]> | undefined;

/** The project's documentation, from which the built-in guide answers: read once in a process. */
function sharedDocs(): Promise<Doc[]> {
  docs ??= readDocs();
  return docs;
}

async function readDocs(): Promise<Doc[]> {
  const root = new URL("../../../", import.meta.url);
  const pages = (await readdir(new URL("docs/", root), { recursive: true }))
    .filter((file) => file.endsWith(".md"))
    .map((file) => `docs/${file.replaceAll("\\", "/")}`);
  return Promise.all(
    ["README.md", ...pages].map(async (file) => ({
      file,
      text: await readFile(new URL(file, root), "utf8"),
    })),
  );
}
