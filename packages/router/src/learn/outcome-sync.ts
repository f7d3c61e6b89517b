import type { Clock } from "@trunkline/core/clock.ts";
import type { LearningStore, OutcomeRecord } from "./learning-store.ts";
import type { LengthStats } from "./length-stats.ts";
import type { OutcomeStats } from "./outcome-stats.ts";

/** How often it is looked whether something has to be written or read. */
const TICK_MS = 1_000;
/** How often what was learnt goes to the store; what somebody said goes at the next look. */
const FLUSH_MS = 10_000;
/** While the store is away no more than this many outcomes wait for it, one by one. Their sums wait in any case. */
const MAX_WAITING_RECORDS = 20_000;
/** So often the store may refuse what it is told while it can be read. After that it is let go: what comes next must not wait for ever. */
const MAX_REFUSALS = 30;
/** Of accounts that were heard of lately, what they learnt is read at the start. */
const INITIAL_ROWS = 50_000;
/** With at most this weight an account counts for all others, per model and domain: ten outcomes. */
export const MAX_WEIGHT_PER_ACCOUNT = 10;

export interface OutcomeSyncOptions {
  readonly store: LearningStore;
  readonly evidence: OutcomeStats;
  readonly lengths: LengthStats;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** Brings what this instance learns to the store, and what the others learn from it, behind the requests' backs. */
export class OutcomeSync {
  readonly #options: OutcomeSyncOptions;
  #counted: OutcomeRecord[] = [];
  #version = 0n;
  #isStale = false;
  #isUrgent = false;
  /** What was handed over last could not be taken. Whether the store is away or refuses it, reading tells. */
  #hasFailed = false;
  #refusals = 0;
  #flushedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #queue: Promise<void> = Promise.resolve();
  #queuedCount = 0;

  constructor(parts: OutcomeSyncOptions) {
    this.#options = parts;
  }

  /** Reads what is known, and goes on from there. */
  async start(): Promise<void> {
    const { store, evidence, lengths, clock } = this.#options;
    const { version, own, shared, lengths: lengthRows } = await store.readAll(INITIAL_ROWS);
    evidence.loadShared(shared);
    evidence.loadAccounts(new Set(own.map(({ accountId }) => accountId)), own);
    lengths.load(lengthRows);
    this.#version = version;
    this.#flushedAt = clock.monotonicMs();
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
    this.#timer.unref();
  }

  /** Hands over what is left. What the store can't take now is lost. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  /** Keeps an outcome by itself, beside the sums that it went into. */
  addRecord(outcome: OutcomeRecord): void {
    if (this.#counted.length < MAX_WAITING_RECORDS) this.#counted.push(outcome);
  }

  /** Somebody waits to see what they said have an effect. */
  flushSoon(): void {
    this.#isUrgent = true;
  }

  /** Another instance may have learnt something. */
  markStale(): void {
    this.#isStale = true;
  }

  /** Writes what is new and reads what others wrote. One at a time; never throws. */
  flush(): Promise<void> {
    return this.#enqueue(async () => {
      await this.#push();
      await this.#pull();
    });
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    this.#queuedCount++;
    this.#queue = this.#queue.then(work).finally(() => {
      this.#queuedCount--;
    });
    return this.#queue;
  }

  #tick(): void {
    const { clock, evidence } = this.#options;
    // A store that is slow is not asked for more than it can do.
    if (this.#queuedCount > 0) return;
    if (this.#isUrgent || clock.monotonicMs() - this.#flushedAt >= FLUSH_MS) void this.flush();
    else if (this.#isStale || evidence.hasUnreadAccounts) void this.#enqueue(() => this.#pull());
  }

  async #push(): Promise<void> {
    const { store, evidence, lengths, clock, onError } = this.#options;
    this.#flushedAt = clock.monotonicMs();
    this.#isUrgent = false;
    const [outcomes, spans] = [evidence.takePending(), lengths.takePending()];
    const counted = this.#counted;
    if (outcomes.changes.length === 0 && spans.changes.length === 0 && counted.length === 0) return;
    this.#counted = [];
    try {
      await store.add({
        outcomes: outcomes.changes,
        lengths: spans.changes,
        records: counted,
        maxWeightPerAccount: MAX_WEIGHT_PER_ACCOUNT,
      });
      this.#refusals = 0;
    } catch (error) {
      onError(error);
      if (this.#refusals >= MAX_REFUSALS) {
        this.#refusals = 0;
        return;
      }
      this.#hasFailed = true;
      // Where the outcome is open they may be counted twice: a figure may be a little off, but never on a request's time.
      outcomes.putBack();
      spans.putBack();
      this.#counted = [...counted, ...this.#counted].slice(0, MAX_WAITING_RECORDS);
    } finally {
      this.#isStale = true;
    }
  }

  async #pull(): Promise<void> {
    const { store, evidence, lengths, onError } = this.#options;
    const strangers = evidence.takeUnreadAccounts();
    try {
      if (this.#isStale) {
        this.#isStale = false;
        const learningChanges = await store.changedSince(this.#version);
        evidence.loadShared(learningChanges.shared);
        evidence.loadOwn(learningChanges.own);
        lengths.load(learningChanges.lengths);
        this.#version = learningChanges.version;
        if (this.#hasFailed) this.#refusals++;
      }
      if (strangers.length > 0) evidence.loadAccounts(strangers, await store.readAccounts(strangers));
    } catch (error) {
      this.#isStale = true;
      for (const accountId of strangers) evidence.requestAccount(accountId);
      onError(error);
    }
    this.#hasFailed = false;
  }
}
