import { z } from "zod";
import type { Config } from "./config.ts";
import { STRATEGIES } from "./domain/inference.ts";
import { LEARNING, type ServiceSettings, SIGN_UP } from "./domain/service-settings.ts";
import { SAFETY_CATEGORIES } from "./safety/categories.ts";
import {
  POLICY_ACTIONS,
  type PolicyOverride,
  policyOf,
  SAFETY_PRESETS,
  type SafetyPolicy,
  type SafetyPreset,
} from "./safety/policy.ts";

export interface SettingStore {
  read(name: string): Promise<unknown>;
  write(name: string, value: unknown): Promise<void>;
  forget(name: string): Promise<void>;
}

/** What to do about each category, as the operator says it. */
export interface SafetySettings {
  readonly preset: SafetyPreset;
  readonly categories: Readonly<Partial<Record<(typeof SAFETY_CATEGORIES)[number], PolicyOverride>>>;
}

const keptService = z.object({
  signUp: z.enum(SIGN_UP).optional(),
  strategy: z.enum(STRATEGIES).optional(),
  learning: z.enum(LEARNING).optional(),
  welcomeCredits: z.string().regex(/^\d+$/).transform(BigInt).optional(),
  announcement: z.string().optional(),
});

const threshold = z
  .number()
  .min(0)
  .max(1)
  .nullable()
  .transform((value) => value ?? undefined);

const keptSafety = z.object({
  preset: z.enum(SAFETY_PRESETS),
  categories: z.partialRecord(
    z.enum(SAFETY_CATEGORIES),
    z.union([
      z.enum(POLICY_ACTIONS),
      z.object({
        reportAt: threshold.prefault(null),
        redactAt: threshold.prefault(null),
        refuseAt: threshold.prefault(null),
      }),
    ]),
  ),
});

/**
 * What the operator may change while the service runs: laid over what the configuration says, kept in the store, and
 * in memory on every instance.
 */
export class LiveSettings {
  readonly #store: SettingStore;
  readonly #configured: ServiceSettings;
  readonly #configuredSafety: SafetySettings;
  #current: ServiceSettings;
  #safety: SafetySettings;
  #safetyIsOwn = false;
  #policy: SafetyPolicy;

  constructor(store: SettingStore, config: Pick<Config, "signUp" | "strategy" | "routing" | "safety">) {
    this.#store = store;
    this.#configured = {
      signUp: config.signUp,
      strategy: config.strategy,
      learning: config.routing.learning ? "on" : "frozen",
      welcomeCredits: 0n,
      announcement: "",
    };
    this.#configuredSafety = { preset: config.safety.preset, categories: config.safety.overrides };
    this.#current = this.#configured;
    this.#safety = this.#configuredSafety;
    this.#policy = policyOf(this.#safety.preset, this.#safety.categories);
  }

  get current(): ServiceSettings {
    return this.#current;
  }

  get safety(): SafetySettings & { readonly isOwn: boolean } {
    return { ...this.#safety, isOwn: this.#safetyIsOwn };
  }

  /** The safety policy that holds at this moment. */
  get policy(): SafetyPolicy {
    return this.#policy;
  }

  /** Reads everything anew. What can't be understood, as a newer version may have written it, counts as not there. */
  async reload(): Promise<void> {
    const [service, safety] = await Promise.all([this.#store.read("service"), this.#store.read("safety")]);
    this.#current = { ...this.#configured, ...given(keptService.safeParse(service ?? {}).data ?? {}) };
    const own = keptSafety.safeParse(safety).data;
    this.#safetyIsOwn = own !== undefined;
    this.#safety = own ?? this.#configuredSafety;
    this.#policy = policyOf(this.#safety.preset, this.#safety.categories);
  }

  /** Only what was set is kept, and on top of what is kept now: the rest stays the configuration's, or another instance's. */
  async change(change: Partial<ServiceSettings>): Promise<void> {
    const kept = keptService.safeParse((await this.#store.read("service")) ?? {}).data ?? {};
    const { welcomeCredits, ...rest } = { ...given(kept), ...given(change) };
    await this.#store.write("service", { ...rest, welcomeCredits: welcomeCredits?.toString() });
    await this.reload();
  }

  async changeSafety(safety: SafetySettings): Promise<void> {
    await this.#store.write("safety", safety);
    await this.reload();
  }

  /** Back to what the configuration says. */
  async forgetSafety(): Promise<void> {
    await this.#store.forget("safety");
    await this.reload();
  }
}

/** A change without what it leaves as it is. */
type Given<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

function given<Fields extends object>(fields: Fields): Given<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Given<Fields>;
}
