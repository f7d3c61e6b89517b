import type { Part } from "@trunkline/core/answer.ts";
import { ProviderFailure } from "@trunkline/core/attempt.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import type { KeyRest } from "@trunkline/core/key-rotation.ts";
import type { Model } from "@trunkline/core/model.ts";
import type { Candidate } from "@trunkline/core/route.ts";
import { WatchedCall } from "../health/call-observation.ts";
import type { CallCandidatesInput } from "./call-candidates-input.ts";
import type { Seam } from "./overlap-trimmer.ts";
import { shortenCaches } from "./shorten-caches.ts";
import { withinHold } from "./within-hold.ts";

export interface Asked {
  readonly candidate: Candidate;
  readonly inference: Inference;
  /** Where this answer goes on with what another call began. */
  readonly seam?: Seam | undefined;
  /** It may be called off while another one answers. */
  readonly canBeOvertaken?: boolean;
  /** It is called although its breaker does not let calls through. */
  readonly lastResort?: boolean;
}

/** One call of one candidate. First it is waited for until it speaks, then its parts are read one by one. */
export class RunningCall {
  readonly candidate: Candidate;
  readonly #watch: WatchedCall;
  readonly #signal: AbortSignal;
  readonly #ownEnd: AbortController | undefined;
  readonly #seam: Seam | undefined;
  readonly #dropped: Set<string>;
  readonly #source: AsyncIterator<Part>;
  readonly #oneChoice: boolean;
  /** What came and was not read yet. */
  readonly #waiting: Part[] = [];
  #isOver = false;
  #isOnlyEnd = false;
  #failure: ProviderFailure | undefined;

  constructor(input: CallCandidatesInput, { candidate, inference, seam, canBeOvertaken, lastResort }: Asked) {
    const { model, quote } = candidate;
    const hasSlot = lastResort !== true;
    const { clock, health, onAttempt, requestId, accountId: by } = input;
    this.candidate = candidate;
    this.#watch = new WatchedCall({ model, clock, health, onAttempt, by, hasSlot });
    this.#seam = seam;
    this.#oneChoice = (inference.parameters.choices ?? 1) === 1;
    this.#ownEnd = canBeOvertaken === true ? new AbortController() : undefined;
    this.#signal =
      this.#ownEnd === undefined ? input.signal : AbortSignal.any([input.signal, this.#ownEnd.signal]);
    this.#dropped = new Set(fieldsOfOtherWires(inference, model));
    const onDropped = (field: string) => void this.#dropped.add(field);
    const parts = input.adapterFor(model).call({
      model,
      inference: shortenCaches(withinHold(inference, model, quote), model, onDropped),
      requestId,
      signal: this.#signal,
      onDropped,
      onPause: (seconds: number) => health.pause(model.id, seconds),
      onRoom: (calls: number, seconds: number) => health.hasRoom(model.id, calls, seconds),
      onKeyRests: (rest: KeyRest) => input.onKeyRests?.(model, rest),
    });
    this.#source = parts[Symbol.asyncIterator]();
  }

  /** The fields of the request that this provider could not be told. */
  get dropped(): readonly string[] {
    return [...this.#dropped];
  }

  /** Why it failed; undefined where it did not, or not yet. */
  get failure(): ProviderFailure | undefined {
    return this.#failure;
  }

  /** Whether it says no more than that the answer which it should go on with is whole. */
  get isOnlyEnd(): boolean {
    return this.#isOnlyEnd;
  }

  get elapsedMs(): number {
    return this.#watch.elapsedMs;
  }

  /** Waits until there is something to pass on, or an end in order: false where it failed before. */
  async speak(): Promise<boolean> {
    while (!this.#isOver && !this.#waiting.some((part) => this.#isWord(part))) await this.#pull();
    if (this.#failure !== undefined) return false;
    if (this.#seam !== undefined && !this.#waiting.some((part) => this.#isWord(part))) {
      const end = this.#waiting.find(({ type }) => type === "finish");
      if (end?.type !== "finish" || end.reason !== "stop") {
        this.#fail(
          new ProviderFailure("broken", "had nothing to add to the answer", { blamesEndpoint: false }),
        );
        return false;
      }
      // What it counted is not of this answer.
      this.#isOnlyEnd = true;
      this.#waiting.splice(0, this.#waiting.length, end);
    }
    this.#watch.begin();
    return true;
  }

  /** The next part; undefined at the end. Where that is a failure, `failure` says so. */
  async next(): Promise<Part | undefined> {
    while (this.#waiting.length === 0 && !this.#isOver) await this.#pull();
    const part = this.#waiting.shift();
    if (part === undefined && this.#failure === undefined) this.#watch.answered();
    return part;
  }

  /** Whoever read it is done with it, or gone. */
  async leave(): Promise<void> {
    this.#watch.leftBehind();
    await this.#source.return?.();
  }

  /** Another was faster: its connection is closed at once. */
  callOff(): void {
    if (this.#signal.aborted) this.#watch.leftBehind();
    else this.#watch.overtaken();
    this.#ownEnd?.abort(new Error("Another model was faster."));
    // Whatever it says now, nobody listens.
    this.#source.return?.().catch(() => undefined);
  }

  /** It was prepared and is not made after all. */
  drop(): void {
    this.#watch.neverMade();
  }

  async #pull(): Promise<void> {
    try {
      const next = await this.#source.next();
      if (next.done === true) {
        // An adapter may end quietly when it is told to stop: that is not an answer.
        if (!this.#watch.finished) this.#signal.throwIfAborted();
        this.#isOver = true;
        if (this.#seam !== undefined) this.#wait(this.#seam.end());
        return;
      }
      this.#take(next.value);
    } catch (error) {
      this.#end(error);
    }
  }

  #take(part: Part): void {
    // An empty text says nothing. Dropping it keeps the door open for the next candidate.
    if (part.type === "text" && part.text === "") return;
    this.#watch.note(part);
    if (this.#seam === undefined) this.#waiting.push(part);
    else if (part.type === "text") this.#wait(this.#seam.push(part.text));
    // Its thoughts would stand in the middle of the answer, and are not those of the model that began it.
    else if (part.type !== "thinking") {
      if (part.type !== "usage") this.#wait(this.#seam.end());
      this.#waiting.push(part);
    }
  }

  #wait(text: string): void {
    if (text !== "") this.#waiting.push({ type: "text", text });
  }

  #end(error: unknown): void {
    if (this.#signal.aborted) {
      this.#watch.leftBehind();
      // Whatever the adapter made of it, what ended this call is the abort and its reason.
      throw this.#signal.reason;
    }
    if (!(error instanceof ProviderFailure)) {
      this.#watch.broke();
      throw error;
    }
    // What breaks after the end was said takes nothing away from the answer.
    if (this.#watch.finished && this.#oneChoice) this.#isOver = true;
    else this.#fail(error);
  }

  #fail(failure: ProviderFailure): void {
    this.#isOver = true;
    this.#failure = failure;
    this.#watch.failed(failure);
  }

  /** Whether a part is something to read. Of a call that goes on with an answer that must be more than its end. */
  #isWord({ type }: Part): boolean {
    return type !== "usage" && (this.#seam === undefined || type !== "finish");
  }
}

/** What only a provider of another wire format could have made something of. */
function fieldsOfOtherWires({ extras }: Inference, { wire }: Model): readonly string[] {
  return extras === undefined || extras.wire === wire ? [] : Object.keys(extras.fields);
}
