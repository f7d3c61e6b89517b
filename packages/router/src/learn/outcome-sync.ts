import type { Clock } from "@trunkline/core/clock.ts";
import type { LearningStore, OutcomeRecord } from "./learning-store.ts";
import type { LengthStats } from "./length-stats.ts";
import type { OutcomeStats } from "./outcome-stats.ts";

/** How often pending reads and writes are checked. */
const TICK_MS = 1_000;
/** How often outcomes are written. Feedback is written at the next check. */
const FLUSH_MS = 10_000;
/** The limit of single outcomes that wait for an unavailable store. Their sums always wait. */
const MAX_WAITING_RECORDS = 20_000;
/** How many single outcomes one write takes, and the rest before the next: more at once would hold up requests. */
const RECORDS_PER_WRITE = 100;
const RECORDS_GAP_MS = 100;
/** How often a readable store may refuse a batch before it is dropped, so that later ones are not blocked. */
const MAX_REFUSALS = 30;
/** How many recently active accounts are read at the start. */
const INITIAL_ROWS = 50_000;
/** The maximum weight of one account in the shared sums, per model and domain: ten outcomes. */
export const MAX_WEIGHT_PER_ACCOUNT = 10;

export interface OutcomeSyncOptions {
  readonly store: LearningStore;
  readonly evidence: OutcomeStats;
  readonly lengths: LengthStats;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** Writes what this instance learns and reads what the others learn, in the background. */
export class OutcomeSync {
  readonly #options: OutcomeSyncOptions;
  #counted: OutcomeRecord[] = [];
  #version = 0n;
  #isStale = false;
  #isUrgent = false;
  /** The last write failed. A read shows whether the store is unavailable or refuses the batch. */
  #hasFailed = false;
  #refusals = 0;
  #flushedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Runs while there are enough single outcomes for a write of their own. */
  #recordsTimer: NodeJS.Timeout | undefined;
  #queue: Promise<void> = Promise.resolve();
  #queuedCount = 0;

  constructor(options: OutcomeSyncOptions) {
    this.#options = options;
  }

  /** Reads the stored sums and starts the timer. */
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

  /** Writes the rest. It is lost if that fails. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    clearTimeout(this.#recordsTimer);
    await this.#enqueue(async () => {
      while (this.#counted.length > RECORDS_PER_WRITE && (await this.#pushRecords()));
    });
    await this.flush();
    // A write that was under way may have planned another one.
    clearTimeout(this.#recordsTimer);
  }

  /** Queues a single outcome, besides its sums. */
  addRecord(outcome: OutcomeRecord): void {
    if (this.#counted.length < MAX_WAITING_RECORDS) this.#counted.push(outcome);
    if (this.#counted.length >= RECORDS_PER_WRITE) this.#recordsTimer ??= this.#pushRecordsIn(RECORDS_GAP_MS);
  }

  /** Feedback should take effect soon. */
  flushSoon(): void {
    this.#isUrgent = true;
  }

  /** Another instance may have written outcomes. */
  markStale(): void {
    this.#isStale = true;
  }

  /** Writes new outcomes and reads those of others. One run at a time; never throws. */
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
    // A slow store gets no more requests than it can serve.
    if (this.#queuedCount > 0) return;
    const isDue = clock.monotonicMs() - this.#flushedAt >= FLUSH_MS;
    if (this.#isUrgent || isDue) void this.flush();
    else if (this.#isStale || evidence.hasUnreadAccounts) void this.#enqueue(() => this.#pull());
  }

  #pushRecordsIn(ms: number): NodeJS.Timeout {
    const pushAndGoOn = async () => {
      const isWritten = await this.#pushRecords();
      const isMore = this.#counted.length >= RECORDS_PER_WRITE;
      this.#recordsTimer = isMore ? this.#pushRecordsIn(isWritten ? RECORDS_GAP_MS : TICK_MS) : undefined;
    };
    return setTimeout(() => this.#enqueue(pushAndGoOn), ms).unref();
  }

  /** Writes single outcomes without their sums. Returns whether the store took them; otherwise they are for the next write. */
  async #pushRecords(): Promise<boolean> {
    const counted = this.#counted.splice(0, RECORDS_PER_WRITE);
    try {
      await this.#options.store.addRecords(counted);
      return true;
    } catch (error) {
      this.#options.onError(error);
      this.#putBack(counted);
      return false;
    }
  }

  #putBack(counted: readonly OutcomeRecord[]): void {
    this.#counted = [...counted, ...this.#counted].slice(0, MAX_WAITING_RECORDS);
  }

  async #push(): Promise<void> {
    const { store, evidence, lengths, clock, onError } = this.#options;
    this.#flushedAt = clock.monotonicMs();
    this.#isUrgent = false;
    const [outcomes, spans] = [evidence.takePending(), lengths.takePending()];
    const counted = this.#counted.splice(0, RECORDS_PER_WRITE);
    if (outcomes.changes.length === 0 && spans.changes.length === 0 && counted.length === 0) return;
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
      // If the result of the write is unknown, outcomes may be counted twice. That is a small error.
      outcomes.putBack();
      spans.putBack();
      this.#putBack(counted);
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
