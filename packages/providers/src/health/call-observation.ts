import type { Clock } from "@trunkline/core/clock.ts";
import { fullNameOf, type Model } from "@trunkline/core/model.ts";
import type { Part } from "@trunkline/core/parts.ts";
import type { Attempt, ProviderFailure } from "@trunkline/core/provider-failure.ts";
import type { EndpointHealth } from "./endpoint-health.ts";

/** More output tokens than any answer has: a report beyond it is a lie or a mistake. */
const OUTPUT_TOKENS_MAX = 10_000_000;

/** One call while it runs. However it ends, exactly one attempt is recorded and the health hears of it once. */
export class CallObservation {
  readonly #model: Model;
  readonly #clock: Clock;
  readonly #health: EndpointHealth;
  readonly #onAttempt: (attempt: Attempt) => void;
  readonly #by: string;
  readonly #hasSlot: boolean;
  readonly #startedMs: number;
  /** How many other calls of this endpoint ran when it began. */
  readonly #concurrentCalls: number;
  #firstPartMs: number | undefined;
  #outputTokens: number | undefined;
  #hasContent = false;
  #isDelivered = false;
  #finished = false;
  #ended = false;

  constructor(input: {
    readonly model: Model;
    readonly clock: Clock;
    readonly health: EndpointHealth;
    readonly onAttempt: (attempt: Attempt) => void;
    /** The account that it is for. */
    readonly by: string;
    /** Whether a half-open breaker gave it its one slot, if it had to. Another's is not given back. */
    readonly hasSlot: boolean;
  }) {
    this.#model = input.model;
    this.#clock = input.clock;
    this.#health = input.health;
    this.#onAttempt = input.onAttempt;
    this.#by = input.by;
    this.#hasSlot = input.hasSlot;
    this.#startedMs = input.clock.monotonicMs();
    this.#concurrentCalls = input.health.started(input.model.id);
    input.health.awaitsFirstPart(input.model.id, this.#startedMs, this.#by);
  }

  /** Whether it is passed on: from then on no other candidate can take its place. */
  get isDelivered(): boolean {
    return this.#isDelivered;
  }

  /** From here on somebody reads it. */
  deliver(): void {
    this.#isDelivered = true;
  }

  /** Whether the provider has said that its answer is complete. */
  get finished(): boolean {
    return this.#finished;
  }

  get elapsedMs(): number {
    return Math.round(this.#clock.monotonicMs() - this.#startedMs);
  }

  /** Hears what the provider says, whether or not it is passed on. */
  onPart(part: Part): void {
    if (part.type === "usage") {
      this.#outputTokens = plausibleTokens(part.outputTokens);
      return;
    }
    this.#firstPartMs ??= this.elapsedMs;
    if (part.type === "finish") this.#finished = true;
    else if (!this.#hasContent) {
      this.#hasContent = true;
      this.#health.stopsAwaiting(this.#model.id, this.#startedMs, this.#by);
      this.#health.firstPart(this.#model.id, this.#firstPartMs, this.#concurrentCalls);
    }
  }

  succeeded(): void {
    if (this.#ended) return;
    this.#health.succeeded(this.#model.id, {
      ms: this.elapsedMs,
      firstPartMs: this.#hasContent ? this.#firstPartMs : undefined,
      outputTokens: this.#outputTokens,
      concurrentCalls: this.#concurrentCalls,
      isFirstPartReported: this.#hasContent,
    });
    this.#end("answered", this.#hasContent ? "ok" : "the answer was empty");
  }

  failed(failure: ProviderFailure): void {
    if (this.#ended) return;
    this.#health.failed(this.#model.id, failure, this.elapsedMs);
    this.#end(this.isDelivered ? "cut-off" : "failed", failure.reason, failure);
  }

  /** A bug of ours: the endpoint has nothing to do with it. */
  failedInternally(): void {
    if (this.#ended) return;
    this.#abandon();
    this.#end(this.isDelivered ? "cut-off" : "failed", "an internal error");
  }

  /** Whoever listened is gone. An answer that was complete by then is one all the same. */
  clientLeft(): void {
    if (this.#ended) return;
    if (this.#finished) {
      this.succeeded();
      return;
    }
    this.#abandon();
    this.#end("cut-off", "the client hung up");
  }

  /** Another was faster. It is no failure, but says that this endpoint took at least so long. */
  lostRace(): void {
    if (this.#ended) return;
    this.#health.lostRace(this.#model.id, this.#firstPartMs ?? this.elapsedMs);
    this.#end("cancelled", "another model was faster");
  }

  /** It was not made after all: nobody has to know of it. */
  discarded(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#abandon();
    this.#release();
  }

  #abandon(): void {
    if (this.#hasSlot) this.#health.abandoned(this.#model.id);
  }

  #release(): void {
    if (!this.#hasContent) this.#health.stopsAwaiting(this.#model.id, this.#startedMs, this.#by);
    this.#health.ended(this.#model.id);
  }

  #end(outcome: Attempt["outcome"], reason: string, failure?: ProviderFailure): void {
    this.#ended = true;
    this.#release();
    this.#onAttempt({
      model: fullNameOf(this.#model),
      outcome,
      ...(failure === undefined ? {} : { kind: failure.kind }),
      ...(failure?.said === undefined ? {} : { said: failure.said }),
      reason,
      ms: this.elapsedMs,
      // What a failed call said was not passed on, whatever it was.
      firstPartMs: outcome === "failed" ? undefined : this.#firstPartMs,
    });
  }
}

function plausibleTokens(reported: unknown): number | undefined {
  if (typeof reported !== "number" || !Number.isInteger(reported)) return undefined;
  return reported >= 0 && reported <= OUTPUT_TOKENS_MAX ? reported : undefined;
}
