import type { KeyCooldown } from "@trunkline/core/adapter.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import type { Model } from "@trunkline/core/model.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import type { Secret } from "@trunkline/core/secret.ts";

/** For a key that the provider refuses: that is rarely fixed quickly. */
const REFUSED_COOLDOWN_MS = 300_000;
/** For a rate-limited key, where the provider gives no time. */
const RATE_LIMITED_COOLDOWN_MS = 10_000;

interface Cooldown {
  readonly untilMs: number;
  readonly why: KeyCooldown["why"];
}

/** Rotates through several keys for one provider, and pauses those that fail. */
export class KeyRotation {
  readonly #clock: Clock;
  readonly #next = new WeakMap<readonly Secret[], number>();
  /** By key, and by the id of the model that it is paused for. */
  readonly #cooldowns = new WeakMap<Secret, Map<string, Cooldown>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The keys to try now, in order. Throws a ProviderFailure where all are paused. */
  keysFor(model: Pick<Model, "id">, keys: readonly Secret[]): readonly Secret[] {
    const first = this.#next.get(keys) ?? 0;
    this.#next.set(keys, (first + 1) % keys.length);
    const rotated = [...keys.slice(first), ...keys.slice(0, first)];
    const usable = rotated.filter((key) => this.#cooldownOf(key, model.id) === undefined);
    if (usable.length === 0) throw this.#allCoolingDown(keys.flatMap((key) => this.#cooldownOf(key, model.id) ?? []));
    return usable;
  }

  /** Pauses a key after a failure; undefined where the failure is not about the key. */
  onFailure(
    model: Pick<Model, "id">,
    keys: readonly Secret[],
    key: Secret,
    failure: ProviderFailure,
  ): KeyCooldown | undefined {
    const { kind, retryAfterSeconds } = failure;
    if (kind !== "refused" && kind !== "rate-limited") return undefined;
    // Limits and permissions may differ by model, so a key is paused for one model only.
    const ms =
      kind === "refused"
        ? REFUSED_COOLDOWN_MS
        : retryAfterSeconds === undefined
          ? RATE_LIMITED_COOLDOWN_MS
          : retryAfterSeconds * 1_000;
    this.coolDown(model, key, kind, ms);
    return { place: keys.indexOf(key) + 1, count: keys.length, why: kind, seconds: Math.ceil(ms / 1_000) };
  }

  /** Whether all keys were refused, and none is only rate-limited: then no request is served until the owner acts. */
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
