import {
  isLastGroup,
  type KeyCooldown,
  type PartSource,
  type PartsResult,
  type ProviderCall,
  partSourceOf,
} from "@trunkline/core/adapter.ts";
import { type CancelSignal, toAbortSignal } from "@trunkline/core/cancellation.ts";
import { Arrival, promiseOf } from "@trunkline/core/in-step.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { cachedFullNameOf, type Model } from "@trunkline/core/model.ts";
import type { Part } from "@trunkline/core/parts.ts";
import { type Attempt, ProviderFailure } from "@trunkline/core/provider-failure.ts";
import type { Candidate } from "@trunkline/core/route.ts";
import type { CallSpan } from "@trunkline/core/trace-context.ts";
import type { CallObservation } from "../health/call-observation.ts";
import type { CallCandidatesInput } from "./call-input.ts";
import { OutputBound } from "./output-bound.ts";
import type { OverlapTrimmer } from "./overlap-trimmer.ts";
import { capMaxTokens, clampCacheTtl } from "./request-limits.ts";

/** More output tokens than any answer has: a higher count is wrong and is ignored. */
const OUTPUT_TOKENS_MAX = 10_000_000;

export interface ProviderStreamOptions {
  readonly candidate: Candidate;
  readonly inference: Inference;
  /** Set where this call continues an answer that another call began. */
  readonly overlapTrimmer?: OverlapTrimmer | undefined;
  /** The call may be cancelled because another one answers first. */
  readonly isHedged?: boolean;
  /** The call is made although its breaker does not admit calls. */
  readonly lastResort?: boolean;
}

/**
 * One call of one candidate: first `awaitFirstPart` or `takeFirst`, then `take` for its parts, then `close`. However the call ends,
 * one attempt is recorded and its endpoint's health learns of it once.
 */
export class ProviderStream implements ProviderCall {
  readonly candidate: Candidate;
  /** The request as its provider gets it. */
  readonly inference: Inference;
  readonly signal: CancelSignal;
  readonly onUnsupported: (field: string) => void;
  readonly #observation: CallObservation;
  readonly #input: CallCandidatesInput;
  readonly #ownAbort: AbortController | undefined;
  readonly #overlapTrimmer: OverlapTrimmer | undefined;
  #unsupported: Set<string> | undefined;
  readonly #source: PartSource;
  readonly #oneChoice: boolean;
  readonly #outputBound: OutputBound | undefined;
  readonly #span: CallSpan | undefined;
  /** Parts that were received and not read yet. */
  #buffered: readonly Part[] = NO_PARTS;
  #outputTokens: number | undefined;
  #hasContent = false;
  /** The client reads this call's parts: from now on no other candidate can replace it. */
  #isDelivered = false;
  /** The provider said that its answer is complete. */
  #isFinished = false;
  #isFinishOnly = false;
  #isDone = false;
  /** The answer was ended here, as it went on for too long. */
  #isCut = false;
  #isEnded = false;
  #failure: ProviderFailure | undefined;

  constructor(
    input: CallCandidatesInput,
    { candidate, inference, overlapTrimmer, isHedged, lastResort }: ProviderStreamOptions,
  ) {
    const { model, quote } = candidate;
    const { health, accountId } = input;
    this.candidate = candidate;
    this.#observation = health.observe(model.id, { accountId, hasSlot: lastResort !== true });
    this.#input = input;
    this.#overlapTrimmer = overlapTrimmer;
    this.#oneChoice = (inference.parameters.choices ?? 1) === 1;
    this.#outputBound = OutputBound.of(candidate, inference);
    this.#ownAbort = isHedged === true ? new AbortController() : undefined;
    this.signal =
      this.#ownAbort === undefined
        ? input.signal
        : AbortSignal.any([toAbortSignal(input.signal), this.#ownAbort.signal]);
    this.onUnsupported = (field) => {
      this.#unsupported ??= new Set();
      this.#unsupported.add(field);
    };
    const { extras } = inference;
    // Only providers of their own wire format understand them.
    if (extras !== undefined && extras.wire !== model.wire) Object.keys(extras.fields).forEach(this.onUnsupported);
    this.#span = input.startSpan?.();
    this.inference = clampCacheTtl(capMaxTokens(inference, model, quote), model, this.onUnsupported);
    this.#source = partSourceOf(input.adapterFor(model).call(this));
  }

  get model(): Model {
    return this.candidate.model;
  }

  get requestId(): string {
    return this.#input.requestId;
  }

  get traceHeaders(): ProviderCall["traceHeaders"] {
    return this.#span?.headers;
  }

  // What an adapter may report besides an answer is nearly always nothing, so these are made when they are asked for.

  get onPause(): (seconds: number) => void {
    return (seconds) => this.#observation.pause(seconds);
  }

  get onRemainingCalls(): (calls: number, seconds: number) => void {
    return (calls, seconds) => this.#observation.setRemainingCalls(calls, seconds);
  }

  get onKeyCooldown(): (cooldown: KeyCooldown) => void {
    return (cooldown) => this.#input.onKeyCooldown?.(this.model, cooldown);
  }

  /** The fields of the request that this provider has no equivalent for. */
  get unsupported(): readonly string[] {
    return this.#unsupported === undefined ? NO_FIELDS : [...this.#unsupported];
  }

  /** Why the call failed; undefined if it has not. */
  get failure(): ProviderFailure | undefined {
    return this.#failure;
  }

  /** Whether a continuation adds nothing, as the answer was already complete. */
  get isFinishOnly(): boolean {
    return this.#isFinishOnly;
  }

  /** Whether all of the answer was received and read, and its provider said that it is complete: nothing is left to close. */
  get isComplete(): boolean {
    if (this.#isCut || this.#failure !== undefined) return false;
    return this.#isDone && this.#isFinished && this.#buffered.length === 0;
  }

  get elapsedMs(): number {
    return this.#observation.elapsedMs;
  }

  /** Waits for the first content, or for a regular end without any. False if the call failed before. */
  async awaitFirstPart(): Promise<boolean> {
    let hasAnswered = this.takeFirst();
    while (hasAnswered instanceof Arrival) {
      await promiseOf(hasAnswered);
      hasAnswered = this.takeFirst();
    }
    return hasAnswered;
  }

  /** The same without waiting. Where nothing has come yet, the wait for it: ask again once that is over. */
  takeFirst(): boolean | Arrival {
    while (!this.#isDone && !this.#hasBufferedContent()) {
      try {
        const taken = this.#source.take();
        if (taken instanceof Arrival) return taken;
        this.#receive(taken);
      } catch (error) {
        this.#handleError(error);
      }
    }
    if (this.#failure !== undefined) return false;
    if (this.#overlapTrimmer !== undefined && !this.#hasBufferedContent()) {
      const finish = this.#buffered.find(({ type }) => type === "finish");
      if (finish?.type !== "finish" || finish.reason !== "stop") {
        this.#fail(new ProviderFailure("broken", "had nothing to add to the answer", { blamesEndpoint: false }));
        return false;
      }
      // The usage that this call reports is not part of the answer.
      this.#isFinishOnly = true;
      this.#buffered = [finish];
    }
    this.#isDelivered = true;
    return true;
  }

  /**
   * The parts that arrived next; undefined at the end, where `failure` says whether the call failed. Where they have not come
   * yet, the wait for them: take again once that is over.
   */
  take(): readonly Part[] | undefined | Arrival {
    while (this.#buffered.length === 0 && !this.#isDone) {
      try {
        const taken = this.#source.take();
        if (taken instanceof Arrival) return taken;
        this.#receive(taken);
      } catch (error) {
        this.#handleError(error);
      }
    }
    return this.#takeBuffered();
  }

  #takeBuffered(): readonly Part[] | undefined {
    const parts = this.#buffered;
    if (parts.length > 0) {
      this.#buffered = NO_PARTS;
      return parts;
    }
    if (this.#failure === undefined) this.#endAnswered();
    return undefined;
  }

  /** Ends the call: its reader has read everything, or has disconnected. */
  close(): Promise<unknown> | undefined {
    this.#endUnread();
    // A source that has ended by itself has nothing to close.
    return this.#isDone && !this.#isCut && this.#failure === undefined ? undefined : this.#source.return();
  }

  /** Cancels the call at once, as another one was faster. */
  loseRace(): void {
    if (this.signal.aborted) this.#endUnread();
    else this.#end("cancelled", "another model was faster");
    this.#ownAbort?.abort(new Error("Another model was faster."));
    // The call is over, so that an error while it closes has no consequence.
    this.#source.return().catch(() => undefined);
  }

  /** The call was prepared and is not made: there is no attempt to record. */
  discard(): void {
    this.#isEnded = true;
    this.#observation.dispose();
  }

  #receive(result: PartsResult): void {
    if (result.done !== true) this.#receiveParts(result.value);
    if (result.done !== true && !isLastGroup(result)) return;
    // An adapter may end without an error when it is aborted: that is not an answer.
    if (!this.#isFinished) this.signal.throwIfAborted();
    this.#isDone = true;
    if (this.#overlapTrimmer !== undefined) this.#bufferText(this.#overlapTrimmer.end());
  }

  #receiveParts(parts: readonly Part[]): void {
    const outputBound = this.#outputBound;
    /** The parts that are passed on; undefined: all so far as they came, as nearly always. */
    let passed: Part[] | undefined;
    for (let at = 0; at < parts.length; at++) {
      const received = parts[at] as Part;
      // An empty text is not content. Without it the next candidate can still take over.
      const isEmpty = received.type === "text" && received.text === "";
      const part = isEmpty || outputBound === undefined ? received : outputBound.within(received);
      if (isEmpty || part !== received) passed ??= parts.slice(0, at);
      if (isEmpty) continue;
      if (part === undefined) break;
      this.#observe(part);
      passed?.push(part);
      if (outputBound?.isExceeded !== true) continue;
      passed ??= parts.slice(0, at + 1);
      break;
    }
    if (this.#overlapTrimmer === undefined) this.#buffer(passed ?? parts);
    else for (const part of passed ?? parts) this.#bufferTrimmed(this.#overlapTrimmer, part);
    if (outputBound?.isExceeded === true) this.#cut(outputBound);
  }

  #bufferTrimmed(overlapTrimmer: OverlapTrimmer, part: Part): void {
    if (part.type === "text") this.#bufferText(overlapTrimmer.push(part.text));
    // The thoughts of a continuation would appear in the middle of the answer, under the first model's name.
    else if (part.type !== "thinking") {
      if (part.type !== "usage") this.#bufferText(overlapTrimmer.end());
      this.#buffer([part]);
    }
  }

  #buffer(parts: readonly Part[]): void {
    this.#buffered = this.#buffered.length === 0 ? parts : [...this.#buffered, ...parts];
  }

  /** Ends the answer, as a provider does that has reached the requested length. */
  #cut(outputBound: OutputBound): void {
    this.#isCut = true;
    this.#isDone = true;
    this.#isFinished = true;
    if (this.#overlapTrimmer !== undefined) this.#bufferText(this.#overlapTrimmer.end());
    this.#buffer(outputBound.finishParts());
    this.#observation.finished();
  }

  #observe(part: Part): void {
    if (part.type === "usage") {
      this.#outputTokens = plausibleTokens(part.outputTokens);
    } else if (part.type === "finish") {
      this.#isFinished = true;
      this.#observation.finished();
    } else {
      this.#hasContent = true;
      this.#observation.firstPart();
    }
  }

  #bufferText(text: string): void {
    if (text !== "") this.#buffer([{ type: "text", text }]);
  }

  #handleError(error: unknown): void {
    if (this.signal.aborted) {
      this.#endUnread();
      // Whatever error the adapter made of it, the abort and its reason ended this call.
      throw this.signal.reason;
    }
    if (!(error instanceof ProviderFailure)) {
      // A bug of ours does not count against the endpoint.
      this.#end(this.#isDelivered ? "cut-off" : "failed", "an internal error");
      throw error;
    }
    // A failure after the finish part takes nothing away from the answer.
    if (this.#isFinished && this.#oneChoice) this.#isDone = true;
    else this.#fail(error);
  }

  #fail(given: ProviderFailure): void {
    const { said } = given;
    const isScreened = said === undefined || this.#input.screenWords === undefined;
    const failure = isScreened ? given : given.withWords(this.#input.screenWords(said));
    this.#isDone = true;
    this.#failure = failure;
    this.#end(this.#isDelivered ? "cut-off" : "failed", failure.reason, failure);
  }

  #endAnswered(): void {
    const reason = this.#isCut ? "cut, as it went on past the requested length" : "ok";
    this.#end("answered", this.#hasContent ? reason : "the answer was empty");
  }

  /** An answer that was complete before its reader left counts as answered. */
  #endUnread(): void {
    if (this.#isFinished) this.#endAnswered();
    else this.#end("cut-off", "the client hung up");
  }

  #end(outcome: Attempt["outcome"], reason: string, failure?: ProviderFailure): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    if (outcome === "answered") this.#observation.succeeded({ outputTokens: this.#outputTokens });
    else if (outcome === "cancelled") this.#observation.lostRace();
    else if (failure !== undefined) this.#observation.failed(failure);
    this.#observation.dispose();
    this.#input.onAttempt({
      model: cachedFullNameOf(this.candidate.model),
      outcome,
      ...(failure === undefined ? undefined : { kind: failure.kind }),
      ...(failure?.said === undefined ? undefined : { said: failure.said }),
      reason,
      ms: this.elapsedMs,
      // The client has read nothing of a failed call.
      firstPartMs: outcome === "failed" ? undefined : this.#observation.firstPartMs,
      ...(this.#span === undefined ? undefined : { span: this.#span }),
    });
  }

  /** Whether something to read is buffered. The end alone is not, where a call continues an answer. */
  #hasBufferedContent(): boolean {
    for (const { type } of this.#buffered)
      if (type !== "usage" && (this.#overlapTrimmer === undefined || type !== "finish")) return true;
    return false;
  }
}

const NO_PARTS: readonly Part[] = [];
const NO_FIELDS: readonly string[] = [];

function plausibleTokens(reported: unknown): number | undefined {
  if (typeof reported !== "number" || !Number.isInteger(reported)) return undefined;
  return reported >= 0 && reported <= OUTPUT_TOKENS_MAX ? reported : undefined;
}
