import type { BreakerTransition } from "./breaker.ts";
import type { EndpointHealth } from "./endpoint-health.ts";
import type { EndpointSnapshot, EndpointStateStore } from "./endpoint-snapshot.ts";
import type { OutageNotifier } from "./outage-notifier.ts";

/** How often changes are written. */
const FLUSH_MS = 3_000;
/** How soon a breaker's transition is written, together with others of the same moment. */
const URGENT_MS = 20;
/** How far back snapshots are read in case a notice was lost. */
const RECENT_MS = 120_000;

export interface EndpointStateSyncOptions {
  readonly store: EndpointStateStore;
  readonly health: EndpointHealth;
  readonly outageNotifier: OutageNotifier;
  readonly instanceId: string;
  /** Whether instances share an endpoint: it is not built in, not on this machine, not under an account's own key. */
  readonly isShared: (modelId: string) => boolean;
  readonly onError: (error: unknown) => void;
}

/** Keeps the endpoints' health over restarts and shares it with the other instances, in the background. */
export class EndpointStateSync {
  readonly #options: EndpointStateSyncOptions;
  #urgent = new Set<string>();
  /** The models that other instances have announced; undefined: any may have changed. */
  #peerNoticed = new Set<string | undefined>();
  #interval: NodeJS.Timeout | undefined;
  #soonTimer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: EndpointStateSyncOptions) {
    this.#options = options;
    options.health.onTransition = (modelId, transition) => this.#onTransition(modelId, transition);
  }

  /** Reads all snapshots. Endpoints with an outage are tried at once: their credential may be new with this start. */
  async load(): Promise<void> {
    const { store, health } = this.#options;
    const snapshots = await store.read({});
    this.#merge(snapshots);
    for (const { modelId } of snapshots) health.reset(modelId);
    await this.#reconcile();
  }

  start(): void {
    this.#interval = setInterval(() => void this.flush(), FLUSH_MS);
    this.#interval.unref();
  }

  /** Writes what is left. If the store fails now, it is lost. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#interval);
    clearTimeout(this.#soonTimer);
    await this.flush();
  }

  /** Another instance announced a change of an endpoint; undefined: any may have changed. */
  peerNoticed(notice?: { readonly modelId: string; readonly by: string }): void {
    if (notice?.by === this.#options.instanceId) return;
    this.#peerNoticed.add(notice?.modelId);
    this.#flushSoon();
  }

  /** Writes changes, reads those of other instances, and queues outage notices. One at a time; never throws. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.then(async () => {
      await this.#write();
      await this.#read();
      await this.#options.outageNotifier.flush();
    });
    return this.#flushing;
  }

  #onTransition(modelId: string, transition: BreakerTransition): void {
    const { outageNotifier, isShared } = this.#options;
    if (!isShared(modelId)) return;
    if (transition.kind === "ejected" && transition.why !== "failures" && transition.why !== "slow")
      outageNotifier.outageStarted(modelId, transition.why);
    if (transition.kind === "recovering" && transition.endsOutage) outageNotifier.outageEnded(modelId);
    this.#urgent.add(modelId);
    this.#flushSoon();
  }

  #flushSoon(): void {
    if (this.#isStopped || this.#soonTimer !== undefined) return;
    this.#soonTimer = setTimeout(() => {
      this.#soonTimer = undefined;
      void this.flush();
    }, URGENT_MS);
    this.#soonTimer.unref();
  }

  async #write(): Promise<void> {
    const { store, health, isShared, onError } = this.#options;
    const changed = health.drainChanged().filter(isShared);
    const snapshots = changed.flatMap((modelId) => health.snapshotOf(modelId) ?? []);
    if (snapshots.length === 0) return;
    const urgent = this.#urgent;
    this.#urgent = new Set();
    try {
      await store.put(snapshots, urgent);
    } catch (error) {
      health.requeueChanged(changed);
      for (const modelId of urgent) this.#urgent.add(modelId);
      onError(error);
    }
  }

  async #read(): Promise<void> {
    if (this.#peerNoticed.size === 0) return;
    const noticed = this.#peerNoticed;
    this.#peerNoticed = new Set();
    const modelIds = [...noticed].flatMap((modelId) => modelId ?? []);
    try {
      const { store } = this.#options;
      this.#merge(await store.read(noticed.has(undefined) ? { withinMs: RECENT_MS } : { modelIds }));
      if (noticed.has(undefined)) await this.#reconcile();
    } catch (error) {
      // The next notice, or the next regular round, reads it.
      this.#options.onError(error);
    }
  }

  async #reconcile(): Promise<void> {
    const { health, outageNotifier } = this.#options;
    await outageNotifier.reconcile((modelId) => health.of(modelId).outage !== undefined);
  }

  #merge(snapshots: readonly EndpointSnapshot[]): void {
    const { health, isShared } = this.#options;
    for (const snapshot of snapshots) if (isShared(snapshot.modelId)) health.mergeSnapshot(snapshot);
  }
}
