import type { EventType } from "@trunkline/core/alerts.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { OUTAGE_MESSAGES, type OutageCause } from "@trunkline/core/provider-failure.ts";

/** An event as the outbox takes it, and whose webhooks it goes to. */
export interface OutageNotice {
  readonly accountId: string;
  readonly event: { readonly id: string; readonly type: EventType | "webhook.test"; readonly body: string };
}

export interface OutageStore {
  /** Notes that a model is out, and posts the letter where nobody noted it before. True where somebody will read it. */
  begin(modelId: string, why: OutageCause, since: Date, letter: OutageNotice): Promise<boolean>;
  /** Notes that it is not any more, and posts what is to be told then, once. */
  end(modelId: string, write: (since: Date) => OutageNotice | undefined): Promise<boolean>;
  /** The models that are noted as out. */
  all(): Promise<string[]>;
}

/** What the teller works with. */
export interface OutageNotifierOptions {
  readonly store: OutageStore;
  readonly clock: Clock;
  /** Whose model it is, and its full name; undefined: nobody's any more. */
  readonly ownerOf: (modelId: string) => { readonly accountId: string; readonly model: string } | undefined;
  readonly compose: (type: EventType, data: Readonly<Record<string, unknown>>, now: number) => OutageNotice["event"];
  /** Called when something was put into the outbox. */
  readonly onQueued: () => void;
  readonly onError: (error: unknown) => void;
}

/** How it stands with one model, as its owner is to be told. */
type OutageNews = { readonly why: OutageCause; readonly sinceMs: number } | "back";

/** Tells the owner of a model, once, that its provider refuses to serve us, and once that it serves us again. */
export class OutageNotifier {
  readonly #parts: OutageNotifierOptions;
  /** What is not told yet, the newest of each model. */
  #pending = new Map<string, OutageNews>();
  /** What seemed to be noted wrongly when that was last looked at. */
  #suspects: ReadonlySet<string> = new Set();
  #flushing: Promise<void> = Promise.resolve();

  constructor(parts: OutageNotifierOptions) {
    this.#parts = parts;
  }

  outageStarted(modelId: string, why: OutageCause): void {
    this.#pending.set(modelId, { why, sinceMs: this.#parts.clock.now() });
  }

  outageEnded(modelId: string): void {
    this.#pending.set(modelId, "back");
  }

  /**
   * Ends what is noted as out and is not, as whoever saw it come back may have died, or been quicker than who noted it.
   * Only what was so twice in a row: what others know may not have reached us yet.
   */
  async reconcile(isOut: (modelId: string) => boolean): Promise<void> {
    const { store, ownerOf, onError } = this.#parts;
    const noted = await store.all().catch((error: unknown) => {
      onError(error);
      return [];
    });
    const doubtful = noted.filter((modelId) => ownerOf(modelId) !== undefined && !isOut(modelId));
    for (const modelId of doubtful) if (this.#suspects.has(modelId)) this.outageEnded(modelId);
    this.#suspects = new Set(doubtful);
  }

  /** Hands over what is to be told. What can't be is tried again the next time. One at a time; never throws. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#flushPending());
    return this.#flushing;
  }

  async #flushPending(): Promise<void> {
    const outageNews = this.#pending;
    this.#pending = new Map();
    let isPosted = false;
    for (const [modelId, what] of outageNews) {
      try {
        isPosted = (await this.#queueEvent(modelId, what)) || isPosted;
      } catch (error) {
        if (!this.#pending.has(modelId)) this.#pending.set(modelId, what);
        this.#parts.onError(error);
      }
    }
    if (isPosted) this.#parts.onQueued();
  }

  async #queueEvent(modelId: string, what: OutageNews): Promise<boolean> {
    const { store, clock, compose, ownerOf } = this.#parts;
    const owner = ownerOf(modelId);
    if (what === "back") {
      return store.end(modelId, (since) => {
        if (owner === undefined) return undefined;
        const data = { model: owner.model, model_id: modelId, since: since.toISOString() };
        const event = compose("model.back_in_service", data, clock.now());
        return { accountId: owner.accountId, event };
      });
    }
    if (owner === undefined) return false;
    const since = new Date(what.sinceMs);
    const data = {
      model: owner.model,
      model_id: modelId,
      why: what.why,
      reason: OUTAGE_MESSAGES[what.why],
      since: since.toISOString(),
    };
    const event = compose("model.out_of_service", data, clock.now());
    return store.begin(modelId, what.why, since, { accountId: owner.accountId, event });
  }
}
