import type { EventType } from "@trunkline/core/alerts.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { OUTAGE_MESSAGES, type OutageCause } from "@trunkline/core/provider-failure.ts";

/** An event for the outbox, and the account whose webhooks receive it. */
export interface OutageNotice {
  readonly accountId: string;
  readonly event: { readonly id: string; readonly type: EventType | "webhook.test"; readonly body: string };
}

export interface OutageStore {
  /** Records an outage, and queues the notice if it is a new one. True if a webhook will receive it. */
  begin(modelId: string, why: OutageCause, since: Date, notice: OutageNotice): Promise<boolean>;
  /** Records the end of an outage, and queues its notice once. True if a webhook will receive it. */
  end(modelId: string, compose: (since: Date) => OutageNotice | undefined): Promise<boolean>;
  /** The ids of the models with a recorded outage. */
  all(): Promise<string[]>;
}

export interface OutageNotifierOptions {
  readonly store: OutageStore;
  readonly clock: Clock;
  /** The account that owns the model, and its full name; undefined: the model no longer exists. */
  readonly ownerOf: (modelId: string) => { readonly accountId: string; readonly model: string } | undefined;
  readonly compose: (type: EventType, data: Readonly<Record<string, unknown>>, now: number) => OutageNotice["event"];
  /** Called when a notice was queued. */
  readonly onQueued: () => void;
  readonly onError: (error: unknown) => void;
}

type OutageChange = { readonly why: OutageCause; readonly sinceMs: number } | "back";

/** Notifies the owner of a model once when its provider refuses to serve us, and once when it serves us again. */
export class OutageNotifier {
  readonly #options: OutageNotifierOptions;
  /** The latest change of each model that is not queued yet. */
  #pending = new Map<string, OutageChange>();
  /** The recorded outages that the last `reconcile` did not find confirmed. */
  #suspects: ReadonlySet<string> = new Set();
  #flushing: Promise<void> = Promise.resolve();

  constructor(options: OutageNotifierOptions) {
    this.#options = options;
  }

  outageStarted(modelId: string, why: OutageCause): void {
    this.#pending.set(modelId, { why, sinceMs: this.#options.clock.now() });
  }

  outageEnded(modelId: string): void {
    this.#pending.set(modelId, "back");
  }

  /**
   * Ends recorded outages that no longer exist: the instance that saw the end may have stopped, or may have written it
   * before the start was recorded. Only after two checks in a row, as another instance's state may not have arrived
   * yet.
   */
  async reconcile(isOut: (modelId: string) => boolean): Promise<void> {
    const { store, ownerOf, onError } = this.#options;
    const recorded = await store.all().catch((error: unknown) => {
      onError(error);
      return [];
    });
    const suspects = recorded.filter((modelId) => ownerOf(modelId) !== undefined && !isOut(modelId));
    for (const modelId of suspects) if (this.#suspects.has(modelId)) this.outageEnded(modelId);
    this.#suspects = new Set(suspects);
  }

  /** Queues the pending notices. Those that fail are tried again the next time. One at a time; never throws. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#flushPending());
    return this.#flushing;
  }

  async #flushPending(): Promise<void> {
    const changes = this.#pending;
    this.#pending = new Map();
    let isQueued = false;
    for (const [modelId, change] of changes) {
      try {
        isQueued = (await this.#queueEvent(modelId, change)) || isQueued;
      } catch (error) {
        if (!this.#pending.has(modelId)) this.#pending.set(modelId, change);
        this.#options.onError(error);
      }
    }
    if (isQueued) this.#options.onQueued();
  }

  async #queueEvent(modelId: string, change: OutageChange): Promise<boolean> {
    const { store, clock, compose, ownerOf } = this.#options;
    const owner = ownerOf(modelId);
    if (change === "back") {
      return store.end(modelId, (since) => {
        if (owner === undefined) return undefined;
        const data = { model: owner.model, model_id: modelId, since: since.toISOString() };
        const event = compose("model.back_in_service", data, clock.now());
        return { accountId: owner.accountId, event };
      });
    }
    if (owner === undefined) return false;
    const since = new Date(change.sinceMs);
    const data = {
      model: owner.model,
      model_id: modelId,
      why: change.why,
      reason: OUTAGE_MESSAGES[change.why],
      since: since.toISOString(),
    };
    const event = compose("model.out_of_service", data, clock.now());
    return store.begin(modelId, change.why, since, { accountId: owner.accountId, event });
  }
}
