import type { Adapter, ProviderCall } from "@trunkline/core/adapter.ts";
import { DEFAULT_CALL_LIMITS, FREE_PRICE, type Model, type Price } from "@trunkline/core/model.ts";
import type { Part } from "@trunkline/core/parts.ts";
import { priceOf } from "@trunkline/core/price.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { sampleModel } from "@trunkline/testing/samples.ts";
import type { SimulatedClock } from "./simulated-clock.ts";
import type { SimulatedRequest } from "./simulated-traffic.ts";

/** The properties of a healthy provider. */
export interface Profile {
  readonly name: string;
  /** Credits per million tokens. */
  readonly inputPrice: number;
  readonly outputPrice: number;
  readonly firstPartMs: number;
  readonly tokensPerSecond: number;
  /** 0 to 1. The simulated predictor knows it, because prediction is measured separately. */
  readonly quality: number;
  /** Its tokens relative to other providers. */
  readonly verbosity: number;
  /** The claimed time of its answers. */
  readonly claimedMs: number;
}

/** The state of a provider. */
export type Condition =
  | { readonly kind: "well"; readonly slowness: number }
  | { readonly kind: "refuses" | "errors" | "hangs" | "garbles" }
  | { readonly kind: "limits"; readonly calls: number; readonly spanMs: number };

export const HEALTHY: Condition = { kind: "well", slowness: 1 };

const NANO_PER_CREDIT = 1e9;
const REFUSAL_MS = 2;

/** A provider whose state is always known. */
export class SimulatedProvider {
  readonly profile: Profile;
  /** The index of its random numbers in a request. */
  readonly index: number;
  condition: Condition = HEALTHY;
  model: Model;
  /** When it was called. */
  readonly callsMs: number[] = [];
  /** When it failed, as callers saw it. */
  readonly failuresMs: number[] = [];
  readonly #time: SimulatedClock;
  #spanStartMs = 0;
  #callsInSpan = 0;

  constructor(profile: Profile, place: number, time: SimulatedClock, firstByteMs = DEFAULT_CALL_LIMITS.firstByteMs) {
    this.profile = profile;
    this.index = place;
    this.#time = time;
    this.model = sampleModel(`sim/${profile.name}`, {
      id: profile.name,
      avgLatencyMs: profile.claimedMs,
      accuracyScore: profile.quality,
      price: priceAt(profile, 1),
      limits: { ...DEFAULT_CALL_LIMITS, firstByteMs },
    });
  }

  /** Multiplies its initial price. */
  changePrice(factor: number): void {
    this.model = { ...this.model, price: priceAt(this.profile, factor) };
  }

  /** Whether a call that starts now would be answered. */
  get wouldAnswer(): boolean {
    return this.condition.kind === "well" || (this.condition.kind === "limits" && this.#hasCapacity(this.condition));
  }

  tokensFor(request: SimulatedRequest): number {
    return Math.max(1, Math.round(request.outputTokens * this.profile.verbosity));
  }

  costOf(request: SimulatedRequest, price = this.model.price): number {
    if (price === undefined) return Number.POSITIVE_INFINITY;
    const usage = { cachedInputTokens: 0, cacheWriteTokens: 0, images: 0, audioMs: 0 };
    return Number(
      priceOf(price, {
        ...usage,
        inputTokens: request.inputTokens,
        outputTokens: this.tokensFor(request),
      }),
    );
  }

  /** The time of an answer that starts now, to its first part and in total. */
  durationsOf(request: SimulatedRequest, luck = request.latencyFactors[this.index] ?? 1) {
    const slowness = this.condition.kind === "well" ? this.condition.slowness : 1;
    const factor = slowness * luck;
    const firstPartMs = this.profile.firstPartMs * factor;
    const streamMs = (this.tokensFor(request) * 1_000 * factor) / this.profile.tokensPerSecond;
    return { firstPartMs, wholeMs: firstPartMs + streamMs };
  }

  /** The usual time of such an answer in its current state. */
  typicalMs(request: SimulatedRequest): number {
    return this.durationsOf(request, 1).wholeMs;
  }

  adapterFor(request: SimulatedRequest): Adapter {
    return { call: (call) => this.#call(request, call) };
  }

  async *#call(request: SimulatedRequest, call: ProviderCall): AsyncGenerator<readonly Part[]> {
    try {
      yield* this.#answer(request, call);
    } catch (error) {
      if (error instanceof ProviderFailure) this.failuresMs.push(this.#time.monotonicMs());
      throw error;
    }
  }

  async *#answer(request: SimulatedRequest, { model, signal }: ProviderCall): AsyncGenerator<readonly Part[]> {
    this.callsMs.push(this.#time.monotonicMs());
    const { condition } = this;
    const { firstPartMs, wholeMs } = this.durationsOf(request);
    switch (condition.kind) {
      case "refuses":
        await this.#time.sleep(REFUSAL_MS, signal);
        throw new ProviderFailure("refused", "refused the connection");
      case "errors":
        await this.#time.sleep(firstPartMs, signal);
        throw new ProviderFailure("broken", "answered 500");
      case "garbles":
        await this.#time.sleep(firstPartMs, signal);
        throw new ProviderFailure("broken", "the answer is not JSON");
      case "hangs":
        await this.#time.sleep(model.limits.firstByteMs, signal);
        throw new ProviderFailure("timeout", "said nothing in time");
      case "limits":
        if (!this.#hasCapacity(condition)) {
          const retryAfterSeconds = Math.ceil(
            (this.#spanStartMs + condition.spanMs - this.#time.monotonicMs()) / 1_000,
          );
          await this.#time.sleep(REFUSAL_MS, signal);
          throw new ProviderFailure("rate-limited", "answered 429", { retryAfterSeconds });
        }
        this.#callsInSpan++;
        break;
      case "well":
        break;
    }
    await this.#time.sleep(firstPartMs, signal);
    yield [{ type: "text", text: "So it is." }];
    await this.#time.sleep(wholeMs - firstPartMs, signal);
    yield [{ type: "usage", inputTokens: request.inputTokens, outputTokens: this.tokensFor(request) }];
    yield [{ type: "finish", reason: "stop" }];
  }

  #hasCapacity({ calls, spanMs }: { readonly calls: number; readonly spanMs: number }): boolean {
    const nowMs = this.#time.monotonicMs();
    if (nowMs >= this.#spanStartMs + spanMs) {
      this.#spanStartMs = nowMs;
      this.#callsInSpan = 0;
    }
    return this.#callsInSpan < calls;
  }
}

function priceAt({ inputPrice, outputPrice }: Profile, factor: number): Price {
  const perMillion = (credits: number) => BigInt(Math.round(credits * factor * NANO_PER_CREDIT));
  return {
    version: `${factor}`,
    ...FREE_PRICE,
    inputPerMillion: perMillion(inputPrice),
    outputPerMillion: perMillion(outputPrice),
  };
}
