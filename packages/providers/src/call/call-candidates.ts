import type { Inference } from "@trunkline/core/inference.ts";
import { fullNameOf } from "@trunkline/core/model.ts";
import type { Part } from "@trunkline/core/parts.ts";
import type { Candidate } from "@trunkline/core/route.ts";
import { type CallCandidatesInput, uniqueByModel, whySkip } from "./call-input.ts";
import { AnswerSoFar, Continuation } from "./continuation.ts";
import { allFailedFault, type FailedCandidate, type SkipReason } from "./faults.ts";
import { ProviderStream } from "./provider-stream.ts";
import { fullJitterMs, isTransient } from "./retry-policy.ts";

type PartsResult = IteratorResult<readonly Part[], undefined>;

const DONE: PartsResult = { done: true, value: undefined };

/** The parts of the first candidate that answers, in the groups in which they arrive. */
export function callCandidates(input: CallCandidatesInput): AsyncIterableIterator<readonly Part[], undefined> {
  return new CandidatesAnswer(input);
}

/**
 * The one place where failover happens: before the first part the next candidate takes over; after it, another candidate
 * continues the answer where its provider broke off.
 */
class CandidatesAnswer implements AsyncIterableIterator<readonly Part[], undefined> {
  readonly #input: CallCandidatesInput;
  readonly #answer: AnswerSoFar;
  readonly #firstResponder: FirstResponder;
  #continuation: Continuation | undefined;
  /** The call that answers now. */
  #call: ProviderStream | undefined;
  /** How long the answer was when that call began. */
  #lengthBefore = 0;
  #isOver = false;

  constructor(input: CallCandidatesInput) {
    this.#input = input;
    this.#answer = new AnswerSoFar(input.inference);
    this.#firstResponder = new FirstResponder(input);
  }

  async next(): Promise<PartsResult> {
    if (this.#isOver) return DONE;
    try {
      if (this.#call === undefined) this.#start(await this.#firstResponder.find());
      for (let call = this.#call; call !== undefined; call = this.#call) {
        const arriving = call.next();
        const parts = arriving instanceof Promise ? await arriving : arriving;
        if (parts !== undefined) {
          for (const part of parts) this.#answer.add(part);
          return { done: false, value: parts };
        }
        const closing = call.close();
        if (closing !== undefined) await closing;
        if (call.failure === undefined) break;
        const { text, canBeContinued } = this.#answer;
        if (!canBeContinued) throw call.failure;
        const remainder = this.#answer.requestForRemainder(this.#input.countTokens);
        if (remainder === undefined) {
          this.#isOver = true;
          return { done: false, value: [{ type: "finish", reason: "length" }] };
        }
        this.#continuation ??= new Continuation(this.#input, this.#answer, this.#firstResponder.failedModelIds);
        const next = await this.#continuation.continueAfter(call, text.slice(this.#lengthBefore), remainder);
        if (next === undefined) throw call.failure;
        this.#start(next);
      }
      this.#isOver = true;
      return DONE;
    } catch (error) {
      await this.return();
      throw error;
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

interface PlannedCall {
  readonly candidate: Candidate;
  /** The call is made although the breaker does not admit calls. */
  readonly lastResort?: boolean;
  readonly afterMs?: number;
}

/** Finds the first model that answers. Before its first part the client has read nothing, so another can take over. */
class FirstResponder {
  readonly #input: CallCandidatesInput;
  readonly #candidates: readonly Candidate[];
  readonly #plannedCalls: Iterator<PlannedCall>;
  readonly #failedCandidates: FailedCandidate[] = [];
  /** The calls that were made, in order. */
  readonly #calls: ProviderStream[] = [];

  constructor(input: CallCandidatesInput) {
    this.#input = input;
    this.#candidates = uniqueByModel(input.candidates);
    this.#plannedCalls = this.#planCalls();
  }

  /** The ids of the models that were called and failed. */
  get failedModelIds(): readonly string[] {
    return this.#calls.flatMap(({ failure, candidate }) => (failure === undefined ? [] : [candidate.model.id]));
  }

  /** The call that answers. Throws the client's error if no candidate does. */
  async find(): Promise<ProviderStream> {
    const hedges = wantsHedge(this.#input.inference) && this.#candidates.length > 1;
    for (;;) {
      const next = this.#next(hedges && this.#calls.length === 0);
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
    const { done, value } = this.#plannedCalls.next();
    if (done === true) return undefined;
    this.#input.signal.throwIfAborted();
    if (value.afterMs !== undefined) return this.#wait(value.afterMs).then(() => this.#prepare(value, isHedged));
    return this.#prepare(value, isHedged);
  }

  #prepare(planned: PlannedCall, isHedged: boolean): ProviderStream | undefined | Promise<ProviderStream | undefined> {
    const isRetry = this.#calls.length > 0;
    const skipping = whySkip(this.#input, planned.candidate, planned.lastResort === true, isRetry);
    if (skipping instanceof Promise) return skipping.then((reason) => this.#callUnless(reason, planned, isHedged));
    return this.#callUnless(skipping, planned, isHedged);
  }

  #callUnless(
    skipReason: SkipReason | undefined,
    { candidate, lastResort = false }: PlannedCall,
    isHedged: boolean,
  ): ProviderStream | undefined | Promise<ProviderStream | undefined> {
    if (skipReason === undefined) {
      const { inference } = this.#input;
      const call = new ProviderStream(this.#input, { candidate, inference, isHedged, lastResort });
      this.#calls.push(call);
      return call;
    }
    this.#failedCandidates.push({ model: fullNameOf(candidate.model), ms: 0, cause: skipReason });
    return skipReason === "no retries left" ? undefined : this.#next(isHedged);
  }

  async #wait(ms: number): Promise<void> {
    const { signal, wait } = this.#input;
    await wait(ms, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      throw error;
    });
  }

  #recordFailure({ candidate, elapsedMs, failure }: ProviderStream): void {
    if (failure !== undefined)
      this.#failedCandidates.push({ model: fullNameOf(candidate.model), ms: elapsedMs, cause: failure });
  }

  /**
   * Each candidate once; if no breaker admitted a call, the best candidate as a last resort; and a single candidate
   * once more if its failure may be transient.
   */
  *#planCalls(): Generator<PlannedCall> {
    for (const candidate of this.#candidates) yield { candidate };
    const [best, other] = this.#candidates;
    if (best === undefined) return;
    if (this.#failedCandidates.every(({ cause }) => cause === "not admitted") && this.#calls.length === 0)
      yield { candidate: best, lastResort: true };
    const [call, ...further] = this.#calls;
    if (other === undefined && call?.failure !== undefined && further.length === 0 && isTransient(call.failure))
      yield { candidate: best, afterMs: fullJitterMs(0, this.#input.random) };
  }
}

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
