import type { Clock } from "@trunkline/core/clock.ts";
import type { CountedOutcome, LearningStore } from "./learning-store.ts";
import type { LengthBook } from "./length-book.ts";
import type { EvidenceBook } from "./outcome-stats.ts";

/** How often it is looked whether something has to be written or read. */
const LOOK_MS = 1_000;
/** How often what was learnt goes to the store; what somebody said goes at the next look. */
const FLUSH_MS = 10_000;
/** While the store is away no more than this many outcomes wait for it, one by one. Their sums wait in any case. */
const MOST_WAITING = 20_000;
/** So often the store may refuse what it is told while it can be read. After that it is let go: what comes next must not wait for ever. */
const MOST_REFUSALS = 30;
/** Of accounts that were heard of lately, what they learnt is read at the start. */
const ROWS_AT_START = 50_000;
/** With at most this weight an account counts for all others, per model and domain: ten outcomes. */
export const MOST_PER_ACCOUNT = 10;

export interface KeeperParts {
  readonly store: LearningStore;
  readonly evidence: EvidenceBook;
  readonly lengths: LengthBook;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** Brings what this instance learns to the store, and what the others learn from it, behind the requests' backs. */
export class LessonKeeper {
  readonly #parts: KeeperParts;
  #counted: CountedOutcome[] = [];
  #version = 0n;
  #isStale = false;
  #isUrgent = false;
  /** What was handed over last could not be taken. Whether the store is away or refuses it, reading tells. */
  #hasFailed = false;
  #refusals = 0;
  #flushedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<void> = Promise.resolve();
  #turns = 0;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
  }

  /** Reads what is known, and goes on from there. */
  async begin(): Promise<void> {
    const { store, evidence, lengths, clock } = this.#parts;
    const { version, own, shared, lengths: lengthRows } = await store.readAll(ROWS_AT_START);
    evidence.showShared(shared);
    evidence.showAllOf(new Set(own.map(({ accountId }) => accountId)), own);
    lengths.show(lengthRows);
    this.#version = version;
    this.#flushedAt = clock.monotonicMs();
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    this.#timer.unref();
  }

  /** Hands over what is left. What the store can't take now is lost. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  /** Keeps an outcome by itself, beside the sums that it went into. */
  count(outcome: CountedOutcome): void {
    if (this.#counted.length < MOST_WAITING) this.#counted.push(outcome);
  }

  /** Somebody waits to see what they said have an effect. */
  hurry(): void {
    this.#isUrgent = true;
  }

  /** Another instance may have learnt something. */
  refresh(): void {
    this.#isStale = true;
  }

  /** Writes what is new and reads what others wrote. One at a time; never throws. */
  flush(): Promise<void> {
    return this.#take(async () => {
      await this.#handOver();
      await this.#catchUp();
    });
  }

  #take(work: () => Promise<void>): Promise<void> {
    this.#turns++;
    this.#turn = this.#turn.then(work).finally(() => {
      this.#turns--;
    });
    return this.#turn;
  }

  #look(): void {
    const { clock, evidence } = this.#parts;
    // A store that is slow is not asked for more than it can do.
    if (this.#turns > 0) return;
    if (this.#isUrgent || clock.monotonicMs() - this.#flushedAt >= FLUSH_MS) void this.flush();
    else if (this.#isStale || evidence.hasStrangers) void this.#take(() => this.#catchUp());
  }

  async #handOver(): Promise<void> {
    const { store, evidence, lengths, clock, onError } = this.#parts;
    this.#flushedAt = clock.monotonicMs();
    this.#isUrgent = false;
    const [outcomes, spans] = [evidence.take(), lengths.take()];
    const counted = this.#counted;
    if (outcomes.changes.length === 0 && spans.changes.length === 0 && counted.length === 0) return;
    this.#counted = [];
    try {
      await store.add({
        outcomes: outcomes.changes,
        lengths: spans.changes,
        counted,
        mostPerAccount: MOST_PER_ACCOUNT,
      });
      this.#refusals = 0;
    } catch (error) {
      onError(error);
      if (this.#refusals >= MOST_REFUSALS) {
        this.#refusals = 0;
        return;
      }
      this.#hasFailed = true;
      // Where the outcome is open they may be counted twice: a figure may be a little off, but never on a request's time.
      outcomes.putBack();
      spans.putBack();
      this.#counted = [...counted, ...this.#counted].slice(0, MOST_WAITING);
    } finally {
      this.#isStale = true;
    }
  }

  async #catchUp(): Promise<void> {
    const { store, evidence, lengths, onError } = this.#parts;
    const strangers = evidence.takeStrangers();
    try {
      if (this.#isStale) {
        this.#isStale = false;
        const changes = await store.changedSince(this.#version);
        evidence.showShared(changes.shared);
        evidence.showOwn(changes.own);
        lengths.show(changes.lengths);
        this.#version = changes.version;
        if (this.#hasFailed) this.#refusals++;
      }
      if (strangers.length > 0) evidence.showAllOf(strangers, await store.ownOf(strangers));
    } catch (error) {
      this.#isStale = true;
      for (const accountId of strangers) evidence.askAbout(accountId);
      onError(error);
    }
    this.#hasFailed = false;
  }
}
