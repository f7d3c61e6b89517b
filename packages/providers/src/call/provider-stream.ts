import type { Inference } from "@trunkline/core/inference.ts";
import type { KeyCooldown } from "@trunkline/core/key-rotation.ts";
import type { Model } from "@trunkline/core/model.ts";
import type { Part } from "@trunkline/core/parts.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import type { Candidate } from "@trunkline/core/route.ts";
import { CallObservation } from "../health/call-observation.ts";
import type { CallCandidatesInput } from "./call-input.ts";
import type { OverlapTrimmer } from "./overlap-trimmer.ts";
import { capMaxTokens, clampCacheTtl } from "./request-limits.ts";

export interface ProviderStreamOptions {
  readonly candidate: Candidate;
  readonly inference: Inference;
  /** Where this answer goes on with what another call began. */
  readonly overlapTrimmer?: OverlapTrimmer | undefined;
  /** It may be called off while another one answers. */
  readonly isHedged?: boolean;
  /** It is called although its breaker does not let calls through. */
  readonly lastResort?: boolean;
}

/** One call of one candidate. First it is waited for until it speaks, then its parts are read one by one. */
export class ProviderStream {
  readonly candidate: Candidate;
  readonly #observation: CallObservation;
  readonly #signal: AbortSignal;
  readonly #ownAbort: AbortController | undefined;
  readonly #overlapTrimmer: OverlapTrimmer | undefined;
  readonly #unsupported: Set<string>;
  readonly #source: AsyncIterator<Part>;
  readonly #oneChoice: boolean;
  /** What came and was not read yet. */
  readonly #buffered: Part[] = [];
  #isDone = false;
  #isFinishOnly = false;
  #failure: ProviderFailure | undefined;

  constructor(
    input: CallCandidatesInput,
    { candidate, inference, overlapTrimmer, isHedged: canBeOvertaken, lastResort }: ProviderStreamOptions,
  ) {
    const { model, quote } = candidate;
    const hasSlot = lastResort !== true;
    const { clock, health, onAttempt, requestId, accountId: by } = input;
    this.candidate = candidate;
    this.#observation = new CallObservation({ model, clock, health, onAttempt, by, hasSlot });
    this.#overlapTrimmer = overlapTrimmer;
    this.#oneChoice = (inference.parameters.choices ?? 1) === 1;
    this.#ownAbort = canBeOvertaken === true ? new AbortController() : undefined;
    this.#signal = this.#ownAbort === undefined ? input.signal : AbortSignal.any([input.signal, this.#ownAbort.signal]);
    this.#unsupported = new Set(fieldsOfOtherFormats(inference, model));
    const onDropped = (field: string) => void this.#unsupported.add(field);
    const parts = input.adapterFor(model).call({
      model,
      inference: clampCacheTtl(capMaxTokens(inference, model, quote), model, onDropped),
      requestId,
      signal: this.#signal,
      onUnsupported: onDropped,
      onPause: (seconds: number) => health.pause(model.id, seconds),
      onRemainingCalls: (calls: number, seconds: number) => health.setRemainingCalls(model.id, calls, seconds),
      onKeyCooldown: (rest: KeyCooldown) => input.onKeyCooldown?.(model, rest),
    });
    this.#source = parts[Symbol.asyncIterator]();
  }

  /** The fields of the request that this provider could not be told. */
  get unsupported(): readonly string[] {
    return [...this.#unsupported];
  }

  /** Why it failed; undefined where it did not, or not yet. */
  get failure(): ProviderFailure | undefined {
    return this.#failure;
  }

  /** Whether it says no more than that the answer which it should go on with is whole. */
  get isFinishOnly(): boolean {
    return this.#isFinishOnly;
  }

  get elapsedMs(): number {
    return this.#observation.elapsedMs;
  }

  /** Waits until there is something to pass on, or an end in order: false where it failed before. */
  async awaitFirstPart(): Promise<boolean> {
    while (!this.#isDone && !this.#buffered.some((part) => this.#isContent(part))) await this.#pull();
    if (this.#failure !== undefined) return false;
    if (this.#overlapTrimmer !== undefined && !this.#buffered.some((part) => this.#isContent(part))) {
      const end = this.#buffered.find(({ type }) => type === "finish");
      if (end?.type !== "finish" || end.reason !== "stop") {
        this.#fail(new ProviderFailure("broken", "had nothing to add to the answer", { blamesEndpoint: false }));
        return false;
      }
      // What it counted is not of this answer.
      this.#isFinishOnly = true;
      this.#buffered.splice(0, this.#buffered.length, end);
    }
    this.#observation.deliver();
    return true;
  }

  /** The next part; undefined at the end. Where that is a failure, `failure` says so. */
  async next(): Promise<Part | undefined> {
    while (this.#buffered.length === 0 && !this.#isDone) await this.#pull();
    const part = this.#buffered.shift();
    if (part === undefined && this.#failure === undefined) this.#observation.succeeded();
    return part;
  }

  /** Whoever read it is done with it, or gone. */
  async close(): Promise<void> {
    this.#observation.clientLeft();
    await this.#source.return?.();
  }

  /** Another was faster: its connection is closed at once. */
  loseRace(): void {
    if (this.#signal.aborted) this.#observation.clientLeft();
    else this.#observation.lostRace();
    this.#ownAbort?.abort(new Error("Another model was faster."));
    // Whatever it says now, nobody listens.
    this.#source.return?.().catch(() => undefined);
  }

  /** It was prepared and is not made after all. */
  discard(): void {
    this.#observation.discarded();
  }

  async #pull(): Promise<void> {
    try {
      const next = await this.#source.next();
      if (next.done === true) {
        // An adapter may end quietly when it is told to stop: that is not an answer.
        if (!this.#observation.finished) this.#signal.throwIfAborted();
        this.#isDone = true;
        if (this.#overlapTrimmer !== undefined) this.#bufferText(this.#overlapTrimmer.end());
        return;
      }
      this.#receive(next.value);
    } catch (error) {
      this.#handleError(error);
    }
  }

  #receive(part: Part): void {
    // An empty text says nothing. Dropping it keeps the door open for the next candidate.
    if (part.type === "text" && part.text === "") return;
    this.#observation.onPart(part);
    if (this.#overlapTrimmer === undefined) this.#buffered.push(part);
    else if (part.type === "text") this.#bufferText(this.#overlapTrimmer.push(part.text));
    // Its thoughts would stand in the middle of the answer, and are not those of the model that began it.
    else if (part.type !== "thinking") {
      if (part.type !== "usage") this.#bufferText(this.#overlapTrimmer.end());
      this.#buffered.push(part);
    }
  }

  #bufferText(text: string): void {
    if (text !== "") this.#buffered.push({ type: "text", text });
  }

  #handleError(error: unknown): void {
    if (this.#signal.aborted) {
      this.#observation.clientLeft();
      // Whatever the adapter made of it, what ended this call is the abort and its reason.
      throw this.#signal.reason;
    }
    if (!(error instanceof ProviderFailure)) {
      this.#observation.failedInternally();
      throw error;
    }
    // What breaks after the end was said takes nothing away from the answer.
    if (this.#observation.finished && this.#oneChoice) this.#isDone = true;
    else this.#fail(error);
  }

  #fail(failure: ProviderFailure): void {
    this.#isDone = true;
    this.#failure = failure;
    this.#observation.failed(failure);
  }

  /** Whether a part is something to read. Of a call that goes on with an answer that must be more than its end. */
  #isContent({ type }: Part): boolean {
    return type !== "usage" && (this.#overlapTrimmer === undefined || type !== "finish");
  }
}

/** What only a provider of another wire format could have made something of. */
function fieldsOfOtherFormats({ extras }: Inference, { wire }: Model): readonly string[] {
  return extras === undefined || extras.wire === wire ? [] : Object.keys(extras.fields);
}
