import type { Clock } from "./clock.ts";
import type { Model } from "./model.ts";
import { ProviderFailure } from "./provider-failure.ts";
import type { Secret } from "./secret.ts";

/** How long a key rests that the provider does not know: nobody can mend that at once. */
const REFUSED_COOLDOWN_MS = 300_000;
/** How long one rests that is used too much, where the provider does not say. */
const RATE_LIMITED_COOLDOWN_MS = 10_000;

/** Why a key rests, for the log. It never names the key. */
export interface KeyCooldown {
  /** Which of how many it is, counted from 1. */
  readonly place: number;
  readonly count: number;
  readonly why: "refused" | "rate-limited";
  readonly seconds: number;
}

/** The same in words. */
export function describeCooldown(provider: string, { place, count, why, seconds }: KeyCooldown): string {
  const what = why === "refused" ? "refused" : "used too often";
  return `Key ${place} of ${count} for ${provider} was ${what} and rests for ${seconds} s.`;
}

interface Cooldown {
  readonly untilMs: number;
  readonly why: KeyCooldown["why"];
}

/** Whose turn it is among several keys for one provider, and which of them rest. */
export class KeyRotation {
  readonly #clock: Clock;
  readonly #next = new WeakMap<readonly Secret[], number>();
  /** By key, and by the model that it rests for. */
  readonly #cooldowns = new WeakMap<Secret, Map<string, Cooldown>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The keys that may be tried now, the one whose turn it is first. Throws the provider's failure where all rest. */
  keysFor(model: Pick<Model, "id">, keys: readonly Secret[]): readonly Secret[] {
    const first = this.#next.get(keys) ?? 0;
    this.#next.set(keys, (first + 1) % keys.length);
    const inTurn = [...keys.slice(first), ...keys.slice(0, first)];
    const rested = inTurn.filter((key) => this.#cooldownOf(key, model.id) === undefined);
    if (rested.length === 0) throw this.#allCoolingDown(keys.flatMap((key) => this.#cooldownOf(key, model.id) ?? []));
    return rested;
  }

  /** Lets a key rest after what the provider said to it; says how, or nothing where it was about something else. */
  onFailure(
    model: Pick<Model, "id">,
    keys: readonly Secret[],
    key: Secret,
    failure: ProviderFailure,
  ): KeyCooldown | undefined {
    const { kind, retryAfterSeconds } = failure;
    if (kind !== "refused" && kind !== "rate-limited") return undefined;
    // A provider that was asked too often of one model may still take another, and a key may lack the right to one alone.
    const ms =
      kind === "refused"
        ? REFUSED_COOLDOWN_MS
        : retryAfterSeconds === undefined
          ? RATE_LIMITED_COOLDOWN_MS
          : retryAfterSeconds * 1_000;
    this.coolDown(model, key, kind, ms);
    return { place: keys.indexOf(key) + 1, count: keys.length, why: kind, seconds: Math.ceil(ms / 1_000) };
  }

  /** Whether no key is left that may only be busy: then nobody is served until somebody does something about them. */
  areAllRefused({ id }: Pick<Model, "id">, keys: readonly Secret[]): boolean {
    return keys.every((key) => this.#cooldownOf(key, id)?.why === "refused");
  }

  coolDown({ id }: Pick<Model, "id">, key: Secret, why: KeyCooldown["why"], ms: number): void {
    const cooldowns = this.#cooldowns.get(key) ?? new Map<string, Cooldown>();
    cooldowns.set(id, { untilMs: this.#clock.monotonicMs() + ms, why });
    this.#cooldowns.set(key, cooldowns);
  }

  #cooldownOf(key: Secret, modelId: string): Cooldown | undefined {
    const cooldowns = this.#cooldowns.get(key);
    const cooldown = cooldowns?.get(modelId);
    if (cooldown === undefined || cooldown.untilMs > this.#clock.monotonicMs()) return cooldown;
    cooldowns?.delete(modelId);
    return undefined;
  }

  #allCoolingDown(cooldowns: readonly Cooldown[]): ProviderFailure {
    const busy = cooldowns.filter(({ why }) => why === "rate-limited");
    if (busy.length === 0) return new ProviderFailure("refused", "refused our credential a moment ago");
    const soonestMs = Math.min(...busy.map(({ untilMs }) => untilMs)) - this.#clock.monotonicMs();
    return new ProviderFailure("rate-limited", "gets too many requests from us", {
      retryAfterSeconds: Math.max(1, Math.ceil(soonestMs / 1_000)),
    });
  }
}
