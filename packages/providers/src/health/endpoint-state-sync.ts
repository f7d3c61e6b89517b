import type { BreakerTransition } from "./breaker.ts";
import type { EndpointHealth } from "./endpoint-health.ts";
import type { EndpointSnapshot, EndpointStateStore } from "./endpoint-snapshot.ts";
import type { OutageNotifier } from "./outage-notifier.ts";

/** How often what has changed goes to the store. */
const FLUSH_MS = 3_000;
/** What the others must know goes at once, with whatever else turns in the same moment. */
const URGENT_MS = 20;
/** How far back the store is asked in case a notice was lost. */
const RECENT_MS = 120_000;

/** What the keeper works with. */
export interface EndpointStateSyncOptions {
  readonly store: EndpointStateStore;
  readonly health: EndpointHealth;
  readonly outageNotifier: OutageNotifier;
  readonly instanceId: string;
  /** Whether an endpoint is the same for all: neither a built-in one, nor on this machine, nor under an account's own key. */
  readonly isShared: (modelId: string) => boolean;
  readonly onError: (error: unknown) => void;
}

/** Keeps how the endpoints do over restarts, and shares it with the other instances, behind the requests' backs. */
export class EndpointStateSync {
  readonly #parts: EndpointStateSyncOptions;
  #urgent = new Set<string>();
  /** Of which others told; undefined: any. */
  #peerNoticed = new Set<string | undefined>();
  #interval: NodeJS.Timeout | undefined;
  #soonTimer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(parts: EndpointStateSyncOptions) {
    this.#parts = parts;
    parts.health.onTransition = (modelId, turn) => this.#onTransition(modelId, turn);
  }

  /** Reads all that was kept. Who is out is tried again at once: the credential may have come with this start. */
  async load(): Promise<void> {
    const { store, health } = this.#parts;
    const snapshots = await store.read({});
    this.#merge(snapshots);
    for (const { modelId } of snapshots) health.reset(modelId);
    await this.#reconcile();
  }

  start(): void {
    this.#interval = setInterval(() => void this.flush(), FLUSH_MS);
    this.#interval.unref();
  }

  /** Hands over what is left. What the store can't take now is lost. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#interval);
    clearTimeout(this.#soonTimer);
    await this.flush();
  }

  /** Another instance told of an endpoint; undefined: any may have changed. */
  peerNoticed(notice?: { readonly modelId: string; readonly by: string }): void {
    if (notice?.by === this.#parts.instanceId) return;
    this.#peerNoticed.add(notice?.modelId);
    this.#flushSoon();
  }

  /** Writes what has changed, reads what others told, and tells owners. One at a time; never throws. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.then(async () => {
      await this.#write();
      await this.#read();
      await this.#parts.outageNotifier.flush();
    });
    return this.#flushing;
  }

  #onTransition(modelId: string, turn: BreakerTransition): void {
    const { outageNotifier: teller, isShared } = this.#parts;
    if (!isShared(modelId)) return;
    if (turn.kind === "ejected" && turn.why !== "failures" && turn.why !== "slow")
      teller.outageStarted(modelId, turn.why);
    if (turn.kind === "recovering" && turn.endsOutage) teller.outageEnded(modelId);
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
    const { store, health, isShared, onError } = this.#parts;
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
    const heard = this.#peerNoticed;
    this.#peerNoticed = new Set();
    const modelIds = [...heard].flatMap((modelId) => modelId ?? []);
    try {
      const { store } = this.#parts;
      this.#merge(await store.read(heard.has(undefined) ? { withinMs: RECENT_MS } : { modelIds }));
      if (heard.has(undefined)) await this.#reconcile();
    } catch (error) {
      // The next notice, or the round that comes in any case, reads it.
      this.#parts.onError(error);
    }
  }

  async #reconcile(): Promise<void> {
    const { health, outageNotifier: teller } = this.#parts;
    await teller.reconcile((modelId) => health.of(modelId).outage !== undefined);
  }

  #merge(snapshots: readonly EndpointSnapshot[]): void {
    const { health, isShared } = this.#parts;
    for (const snapshot of snapshots) if (isShared(snapshot.modelId)) health.mergeSnapshot(snapshot);
  }
}
