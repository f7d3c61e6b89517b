import { awaitGroup, type PartSource, type PartsResult } from "@trunkline/core/adapter.ts";
import { Arrival } from "@trunkline/core/in-step.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { fullNameOf } from "@trunkline/core/model.ts";
import type { Part } from "@trunkline/core/parts.ts";
import type { Candidate } from "@trunkline/core/route.ts";
import { type CallCandidatesInput, uniqueByModel, whySkip } from "./call-input.ts";
import { AnswerSoFar, Continuation } from "./continuation.ts";
import { allFailedFault, type FailedCandidate, type SkipReason } from "./faults.ts";
import { ProviderStream } from "./provider-stream.ts";
import { fullJitterMs, isTransient } from "./retry-policy.ts";

const DONE: PartsResult = { done: true, value: undefined };

type Ending = { readonly parts: readonly Part[] } | { readonly error: unknown };

/** The parts of the first candidate that answers, in the groups in which they arrive. */
export function callCandidates(input: CallCandidatesInput): AsyncIterableIterator<readonly Part[], undefined> {
  return new CandidatesAnswer(input);
}

/**
 * The one place where failover happens: before the first part the next candidate takes over; after it, another candidate
 * continues the answer where its provider broke off.
 */
class CandidatesAnswer implements AsyncIterableIterator<readonly Part[], undefined>, PartSource {
  readonly #input: CallCandidatesInput;
  readonly #answer: AnswerSoFar;
  readonly #firstResponder: FirstResponder;
  #continuation: Continuation | undefined;
  /** The first call, which may answer. */
  #first: ProviderStream | undefined;
  /** The call that answers now. */
  #call: ProviderStream | undefined;
  /** How long the answer was when that call began. */
  #lengthBefore = 0;
  /** What ends the answer, where that is not the end of its last call. */
  #ending: Ending | undefined;
  #isOver = false;

  constructor(input: CallCandidatesInput) {
    this.#input = input;
    this.#answer = new AnswerSoFar(input.inference);
    this.#firstResponder = new FirstResponder(input);
  }

  next(): Promise<PartsResult> {
    return awaitGroup(this);
  }

  take(): PartsResult | Arrival {
    if (this.#ending !== undefined) return this.#takeEnding(this.#ending);
    if (this.#isOver) return DONE;
    try {
      const beginning = this.#call === undefined ? this.#begin() : undefined;
      if (beginning !== undefined) return beginning;
      const call = this.#call;
      if (call === undefined) return DONE;
      const parts = call.take();
      if (parts instanceof Arrival) return parts;
      if (parts === undefined) return Arrival.of(this.#advance(call));
      for (const part of parts) this.#answer.add(part);
      if (!call.isComplete) return { done: false, value: parts };
      this.#isOver = true;
      // Nothing is left to read: this ends the call.
      void call.take();
      return { done: false, value: parts, isLast: true };
    } catch (error) {
      return Arrival.of(this.#fail(error));
    }
  }

  #takeEnding(ending: Ending): PartsResult {
    this.#ending = undefined;
    if ("error" in ending) throw ending.error;
    return { done: false, value: ending.parts };
  }

  /** Makes the first call, until one answers. Returns the wait for that, if there is one: then it is called again. */
  #begin(): Arrival | undefined {
    this.#first ??= this.#firstResponder.begin();
    const first = this.#first;
    if (first === undefined) return Arrival.of(this.#findResponder(undefined));
    const hasAnswered = first.takeFirst();
    if (hasAnswered instanceof Arrival) return hasAnswered;
    if (!hasAnswered) return Arrival.of(this.#findResponder(first));
    this.#start(first);
    return undefined;
  }

  async #findResponder(failed: ProviderStream | undefined): Promise<void> {
    try {
      this.#start(await this.#firstResponder.find(failed));
    } catch (error) {
      await this.#fail(error);
    }
  }

  /** After the end of a call: ends the answer or has another candidate continue it. */
  async #advance(ended: ProviderStream): Promise<void> {
    try {
      const closing = ended.close();
      if (closing !== undefined) await closing;
      if (ended.failure === undefined) {
        this.#isOver = true;
        return;
      }
      const { text, canBeContinued } = this.#answer;
      if (!canBeContinued) throw ended.failure;
      const remainder = this.#answer.requestForRemainder(this.#input.countTokens);
      if (remainder === undefined) {
        this.#isOver = true;
        this.#ending = { parts: [{ type: "finish", reason: "length" }] };
        return;
      }
      this.#continuation ??= new Continuation(this.#input, this.#answer, this.#firstResponder.failedModelIds);
      const next = await this.#continuation.continueAfter(ended, text.slice(this.#lengthBefore), remainder);
      if (next === undefined) throw ended.failure;
      this.#start(next);
    } catch (error) {
      await this.#fail(error);
    }
  }

  /** Closes what runs, and then has the error thrown. */
  async #fail(error: unknown): Promise<void> {
    try {
      await this.return();
      this.#ending = { error };
    } catch (whileClosing) {
      this.#ending = { error: whileClosing };
    }
  }

  async return(): Promise<PartsResult> {
    this.#isOver = true;
    await this.#call?.close();
    return DONE;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #start(call: ProviderStream): void {
    this.#call = call;
    this.#lengthBefore = this.#answer.text.length;
    // A continuation that only confirms the end costs nothing: the answer stays the other model's.
    if (!call.isFinishOnly) this.#input.onChosen(call.candidate, call.unsupported);
  }
}

/** Without a measured time to the first part, a call is late after this many times its expected latency. */
const LATE_FACTOR = 2;

/** Finds the first model that answers. Before its first part the client has read nothing, so another can take over. */
class FirstResponder {
  readonly #input: CallCandidatesInput;
  readonly #candidates: readonly Candidate[];
  /** Whether the second call starts when the first is late. */
  readonly #hedges: boolean;
  /** How many of the calls that may be made were planned: one for each candidate, then those of `#planLast`. */
  #planned = 0;
  /** The first call, where it could not be made at once. */
  #first: Promise<ProviderStream | undefined> | undefined;
  #failedCandidates: readonly FailedCandidate[] = NO_FAILURES;
  /** The calls that were made, in order. */
  #calls: readonly ProviderStream[] = NO_CALLS;

  constructor(input: CallCandidatesInput) {
    this.#input = input;
    this.#candidates = uniqueByModel(input.candidates);
    this.#hedges = wantsHedge(input.inference) && this.#candidates.length > 1;
  }

  /** The ids of the models that were called and failed. */
  get failedModelIds(): readonly string[] {
    return this.#calls.flatMap(({ failure, candidate }) => (failure === undefined ? [] : [candidate.model.id]));
  }

  /** Makes the first call, where nothing has to be waited for before and no other call races it. */
  begin(): ProviderStream | undefined {
    if (this.#hedges) return undefined;
    const next = this.#next(false);
    if (!(next instanceof Promise)) return next;
    this.#first = next;
    return undefined;
  }

  /** The call that answers, after the one that was begun has failed. Throws the client's error if no candidate does. */
  async find(failed: ProviderStream | undefined): Promise<ProviderStream> {
    const hedges = this.#hedges;
    if (failed !== undefined) this.#recordFailure(failed);
    for (;;) {
      const next = this.#first ?? this.#next(hedges && this.#calls.length === 0);
      this.#first = undefined;
      const call = next instanceof Promise ? await next : next;
      if (call === undefined) throw allFailedFault(this.#failedCandidates);
      if (hedges && this.#calls.length === 1) {
        const winner = await this.#hedge(call);
        if (winner !== undefined) return winner;
      } else if (await call.awaitFirstPart()) return call;
      else this.#recordFailure(call);
    }
  }

  async #hedge(first: ProviderStream): Promise<ProviderStream | undefined> {
    const { model, latencyMs } = first.candidate;
    const lateAfterMs = this.#input.health.of(model.id).firstPartP95Ms ?? LATE_FACTOR * latencyMs;
    let other: ProviderStream | undefined;
    const winner = await raceHedge({
      first,
      waitUntilLate: (signal) => this.#input.wait(lateAfterMs, signal),
      second: async () => {
        other = await this.#next(true);
        return other;
      },
    });
    for (const call of [first, other]) if (call?.failure !== undefined) this.#recordFailure(call);
    return winner;
  }

  /** The next call that can be made; candidates that can't be called are skipped. */
  #next(isHedged: boolean): ProviderStream | undefined | Promise<ProviderStream | undefined> {
    const candidate = this.#candidates[this.#planned];
    if (candidate === undefined) return this.#planLast(isHedged);
    this.#planned++;
    this.#input.signal.throwIfAborted();
    return this.#prepare(candidate, false, isHedged);
  }

  /**
   * After each candidate was tried: if no breaker admitted a call, the best candidate as a last resort; and a single
   * candidate once more if its failure may be transient.
   */
  #planLast(isHedged: boolean): ProviderStream | undefined | Promise<ProviderStream | undefined> {
    const [best, other] = this.#candidates;
    if (best === undefined) return undefined;
    if (this.#planned === this.#candidates.length) {
      this.#planned++;
      if (this.#calls.length === 0 && this.#failedCandidates.every(({ cause }) => cause === "not admitted")) {
        this.#input.signal.throwIfAborted();
        return this.#prepare(best, true, isHedged);
      }
    }
    if (this.#planned > this.#candidates.length + 1) return undefined;
    this.#planned++;
    const [call, further] = this.#calls;
    if (other !== undefined || call?.failure === undefined || further !== undefined || !isTransient(call.failure))
      return undefined;
    const afterMs = fullJitterMs(0, this.#input.random);
    this.#input.signal.throwIfAborted();
    return this.#wait(afterMs).then(() => this.#prepare(best, false, isHedged));
  }

  #prepare(
    candidate: Candidate,
    lastResort: boolean,
    isHedged: boolean,
  ): ProviderStream | undefined | Promise<ProviderStream | undefined> {
    const isRetry = this.#calls.length > 0;
    const skipping = whySkip(this.#input, candidate, lastResort, isRetry);
    return skipping instanceof Promise
      ? this.#callLater(skipping, candidate, lastResort, isHedged)
      : this.#callUnless(skipping, candidate, lastResort, isHedged);
  }

  async #callLater(
    skipping: Promise<SkipReason | undefined>,
    candidate: Candidate,
    lastResort: boolean,
    isHedged: boolean,
  ): Promise<ProviderStream | undefined> {
    return this.#callUnless(await skipping, candidate, lastResort, isHedged);
  }

  #callUnless(
    skipReason: SkipReason | undefined,
    candidate: Candidate,
    lastResort: boolean,
    isHedged: boolean,
  ): ProviderStream | undefined | Promise<ProviderStream | undefined> {
    if (skipReason === undefined) {
      const { inference } = this.#input;
      const call = new ProviderStream(this.#input, { candidate, inference, isHedged, lastResort });
      this.#calls = this.#calls.length === 0 ? [call] : [...this.#calls, call];
      return call;
    }
    this.#addFailed({ model: fullNameOf(candidate.model), ms: 0, cause: skipReason });
    return skipReason === "no retries left" ? undefined : this.#next(isHedged);
  }

  async #wait(ms: number): Promise<void> {
    const { signal } = this.#input;
    await this.#input.wait(ms, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      throw error;
    });
  }

  #recordFailure({ candidate, elapsedMs, failure }: ProviderStream): void {
    if (failure !== undefined) this.#addFailed({ model: fullNameOf(candidate.model), ms: elapsedMs, cause: failure });
  }

  #addFailed(failed: FailedCandidate): void {
    this.#failedCandidates = [...this.#failedCandidates, failed];
  }
}

const NO_FAILURES: readonly FailedCandidate[] = [];
const NO_CALLS: readonly ProviderStream[] = [];

function wantsHedge({ preferences }: Inference): boolean {
  return preferences.speed === "fast" && preferences.hedge === true;
}

interface HedgeRace {
  readonly first: ProviderStream;
  /** Resolves when the first call is late, so that a second one starts. */
  readonly waitUntilLate: (signal: AbortSignal) => Promise<void>;
  /** Prepares the second call; undefined if there is none. */
  readonly second: () => Promise<ProviderStream | undefined>;
}

/**
 * The first of two calls to answer; undefined if both failed. The second call starts only when the first is late. The
 * call that has not answered when the other one does is cancelled.
 */
async function raceHedge({ first, waitUntilLate, second }: HedgeRace): Promise<ProviderStream | undefined> {
  let isPending = true;
  const responds = first.awaitFirstPart().finally(() => {
    isPending = false;
  });
  const running = new Map([[first, responds]]);
  try {
    if (!(await isLate(responds, waitUntilLate))) return await firstToRespond(running);
    const other = await second();
    // The first call may have answered while the cost of the second was being covered.
    if (!isPending && first.failure === undefined) other?.discard();
    else if (other !== undefined) running.set(other, other.awaitFirstPart());
    return await firstToRespond(running);
  } finally {
    for (const call of running.keys()) call.loseRace();
  }
}

async function isLate(responds: Promise<boolean>, waitUntilLate: HedgeRace["waitUntilLate"]): Promise<boolean> {
  const timer = new AbortController();
  const late = waitUntilLate(timer.signal).then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([late, responds.then(() => false)]);
  } finally {
    timer.abort();
  }
}

/** Returns the first call that answers. Removes it, and those that failed before it, from `running`. */
async function firstToRespond(running: Map<ProviderStream, Promise<boolean>>): Promise<ProviderStream | undefined> {
  while (running.size > 0) {
    const { call, hasResponded } = await Promise.race(
      [...running].map(async ([one, responds]) => ({ call: one, hasResponded: await responds })),
    );
    running.delete(call);
    if (hasResponded) return call;
  }
  return undefined;
}
