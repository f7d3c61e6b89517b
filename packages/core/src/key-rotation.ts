import { ProviderFailure } from "./attempt.ts";
import type { Clock } from "./clock.ts";
import type { Model } from "./model.ts";
import type { Secret } from "./secret.ts";

/** How long a key rests that the provider does not know: nobody can mend that at once. */
const REFUSED_REST_MS = 300_000;
/** How long one rests that is used too much, where the provider does not say. */
const BUSY_REST_MS = 10_000;

/** Why a key rests, for the log. It never names the key. */
export interface KeyRest {
  /** Which of how many it is, counted from 1. */
  readonly place: number;
  readonly count: number;
  readonly why: "refused" | "rate-limited";
  readonly seconds: number;
}

/** The same in words. */
export function describeRest(provider: string, { place, count, why, seconds }: KeyRest): string {
  const what = why === "refused" ? "refused" : "used too often";
  return `Key ${place} of ${count} for ${provider} was ${what} and rests for ${seconds} s.`;
}

interface Rest {
  readonly untilMs: number;
  readonly why: KeyRest["why"];
}

/** Whose turn it is among several keys for one provider, and which of them rest. */
export class KeyTurns {
  readonly #clock: Clock;
  readonly #next = new WeakMap<readonly Secret[], number>();
  /** By key, and by the model that it rests for. */
  readonly #rests = new WeakMap<Secret, Map<string, Rest>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The keys that may be tried now, the one whose turn it is first. Throws the provider's failure where all rest. */
  keysFor(model: Pick<Model, "id">, keys: readonly Secret[]): readonly Secret[] {
    const first = this.#next.get(keys) ?? 0;
    this.#next.set(keys, (first + 1) % keys.length);
    const inTurn = [...keys.slice(first), ...keys.slice(0, first)];
    const rested = inTurn.filter((key) => this.#restOf(key, model.id) === undefined);
    if (rested.length === 0) throw this.#allRest(keys.flatMap((key) => this.#restOf(key, model.id) ?? []));
    return rested;
  }

  /** Lets a key rest after what the provider said to it; says how, or nothing where it was about something else. */
  noteFailure(
    model: Pick<Model, "id">,
    keys: readonly Secret[],
    key: Secret,
    failure: ProviderFailure,
  ): KeyRest | undefined {
    const { kind, retryAfterSeconds } = failure;
    if (kind !== "refused" && kind !== "rate-limited") return undefined;
    // A provider that was asked too often of one model may still take another, and a key may lack the right to one alone.
    const ms =
      kind === "refused"
        ? REFUSED_REST_MS
        : retryAfterSeconds === undefined
          ? BUSY_REST_MS
          : retryAfterSeconds * 1_000;
    this.rest(model, key, kind, ms);
    return { place: keys.indexOf(key) + 1, count: keys.length, why: kind, seconds: Math.ceil(ms / 1_000) };
  }

  /** Whether no key is left that may only be busy: then nobody is served until somebody does something about them. */
  areAllRefused({ id }: Pick<Model, "id">, keys: readonly Secret[]): boolean {
    return keys.every((key) => this.#restOf(key, id)?.why === "refused");
  }

  rest({ id }: Pick<Model, "id">, key: Secret, why: KeyRest["why"], ms: number): void {
    const rests = this.#rests.get(key) ?? new Map<string, Rest>();
    rests.set(id, { untilMs: this.#clock.monotonicMs() + ms, why });
    this.#rests.set(key, rests);
  }

  #restOf(key: Secret, modelId: string): Rest | undefined {
    const rests = this.#rests.get(key);
    const rest = rests?.get(modelId);
    if (rest === undefined || rest.untilMs > this.#clock.monotonicMs()) return rest;
    rests?.delete(modelId);
    return undefined;
  }

  #allRest(rests: readonly Rest[]): ProviderFailure {
    const busy = rests.filter(({ why }) => why === "rate-limited");
    if (busy.length === 0) return new ProviderFailure("refused", "refused our credential a moment ago");
    const soonestMs = Math.min(...busy.map(({ untilMs }) => untilMs)) - this.#clock.monotonicMs();
    return new ProviderFailure("rate-limited", "gets too many requests from us", {
      retryAfterSeconds: Math.max(1, Math.ceil(soonestMs / 1_000)),
    });
  }
}
