import { isDeepStrictEqual } from "node:util";
import { CoalescedReload } from "@trunkline/core/background-work.ts";
import { STRATEGIES } from "@trunkline/core/inference.ts";
import type { ServiceSafetyRules } from "@trunkline/core/safety-policy.ts";
import { parseStoredServiceSafetyRules, toSafetyRulesJson } from "@trunkline/core/safety-rules-schema.ts";
import { LEARNING_MODES, type ServiceSettings, SIGN_UP_MODES } from "@trunkline/core/service-settings.ts";
import { mergeServiceRules } from "@trunkline/guard/policy/merge-policies.ts";
import { z } from "zod";
import { JUDGE_CONCURRENCY_DEFAULT, judgeCategoriesOf, judgeSettingSchema } from "../http/requests/judge-schema.ts";
import type { Config } from "./config/config.ts";
import type { JudgeConfig } from "./config/config-file.ts";

export interface SettingStore {
  /** Reads the values under these names in one snapshot. */
  read(names: readonly string[]): Promise<ReadonlyMap<string, unknown>>;
  /** Writes all values or none. undefined deletes the value of that name. */
  write(values: ReadonlyMap<string, unknown>): Promise<void>;
}

/** The judge that the operator has set. null: the operator wants none. */
type JudgeSetting = z.infer<typeof judgeSettingSchema> | null;

const storedServiceSettings = z.object({
  signUp: z.enum(SIGN_UP_MODES).optional(),
  strategy: z.enum(STRATEGIES).optional(),
  learning: z.enum(LEARNING_MODES).optional(),
  welcomeCredits: z.string().regex(/^\d+$/).transform(BigInt).optional(),
  announcement: z.string().optional(),
  publicModels: z.boolean().optional(),
  publicStatus: z.boolean().optional(),
});

type ConfiguredSettings = Pick<Config, "signUp" | "strategy" | "routing" | "safety" | "judge">;

function configuredSettings({ signUp, strategy, routing }: ConfiguredSettings): ServiceSettings {
  return {
    signUp,
    strategy,
    learning: routing.learning ? "on" : "frozen",
    welcomeCredits: 0n,
    announcement: "",
    publicModels: false,
    publicStatus: false,
  };
}

/**
 * The settings that the operator may change while the service runs. They override the configuration, are stored, and
 * are kept in memory by every instance.
 */
export class LiveSettings {
  readonly #store: SettingStore;
  #configured: ServiceSettings;
  #configuredSafety: ServiceSafetyRules;
  #current: ServiceSettings;
  #safety: ServiceSafetyRules;
  #own: ReadonlySet<string> = new Set();
  #safetyIsOwn = false;
  #configuredJudge: JudgeConfig | undefined;
  #judge: JudgeConfig | undefined;
  #judgeIsOwn = false;
  readonly #fresh = new CoalescedReload(async () => this.#take(await this.#store.read(["service", "safety", "judge"])));

  constructor(store: SettingStore, config: ConfiguredSettings) {
    this.#store = store;
    this.#configured = configuredSettings(config);
    this.#configuredSafety = config.safety;
    this.#current = this.#configured;
    this.#safety = this.#configuredSafety;
    this.#configuredJudge = config.judge;
    this.#judge = config.judge;
  }

  get current(): ServiceSettings {
    return this.#current;
  }

  /** Whether the operator has set this in place of what is configured. */
  isOwn(name: keyof ServiceSettings): boolean {
    return this.#own.has(name);
  }

  /** The service's own safety rules, as the same object until they change. */
  get safety(): ServiceSafetyRules {
    return this.#safety;
  }

  /** Whether the operator has overridden some of the configured safety rules. */
  get safetyIsOwn(): boolean {
    return this.#safetyIsOwn;
  }

  /** The judge of doubtful texts, as the same object until it changes. */
  get judge(): JudgeConfig | undefined {
    return this.#judge;
  }

  /** Whether the operator has overridden the configured judge, even with none. */
  get judgeIsOwn(): boolean {
    return this.#judgeIsOwn;
  }

  /** Takes another configuration over, below what the operator has set. */
  async reconfigure(config: ConfiguredSettings): Promise<void> {
    this.#configured = configuredSettings(config);
    this.#configuredSafety = config.safety;
    this.#configuredJudge = config.judge;
    await this.reload();
  }

  /** Resolves when the settings are at least as new as this call. */
  reload(): Promise<void> {
    return this.#fresh.reload();
  }

  /** Stored values that can't be parsed are ignored: a newer version may have written them. */
  #take(kept: ReadonlyMap<string, unknown>): void {
    const [service, safety, judge] = [kept.get("service"), kept.get("safety"), kept.get("judge")];
    const set = given(storedServiceSettings.safeParse(service ?? {}).data ?? {});
    this.#own = new Set(Object.keys(set));
    this.#current = { ...this.#configured, ...set };
    const own = safety === undefined ? undefined : parseStoredServiceSafetyRules(safety);
    this.#safetyIsOwn = own !== undefined;
    const rules = own === undefined ? this.#configuredSafety : mergeServiceRules(this.#configuredSafety, own);
    if (!isDeepStrictEqual(rules, this.#safety)) this.#safety = rules;
    const judgeSet = storedJudge.safeParse(judge).data?.set;
    this.#judgeIsOwn = judgeSet !== undefined;
    const named = judgeSet === undefined ? this.#configuredJudge : judgeOf(judgeSet, this.#configuredJudge);
    if (!isDeepStrictEqual(named, this.#judge)) this.#judge = named;
  }

  /** Stores only the fields of `change`, over those stored now. All other fields stay as configured. */
  async change(change: Partial<ServiceSettings>): Promise<void> {
    const known = (await this.#store.read(["service"])).get("service");
    const kept = storedServiceSettings.safeParse(known ?? {}).data ?? {};
    const { welcomeCredits, ...rest } = { ...given(kept), ...given(change) };
    await this.#store.write(new Map([["service", { ...rest, welcomeCredits: welcomeCredits?.toString() }]]));
    await this.reload();
  }

  /** A `judge` of undefined leaves the judge to the configuration. */
  async changeSafety(safety: ServiceSafetyRules, judge?: JudgeSetting): Promise<void> {
    await this.#keepSafety(toSafetyRulesJson(safety), judge === undefined ? undefined : { set: judge });
  }

  /** Goes back to the configured safety rules and judge. */
  async forgetSafety(): Promise<void> {
    await this.#keepSafety(undefined, undefined);
  }

  async #keepSafety(safety: unknown, judge: unknown): Promise<void> {
    await this.#store.write(
      new Map([
        ["safety", safety],
        ["judge", judge],
      ]),
    );
    await this.reload();
  }
}

const storedJudge = z.object({ set: judgeSettingSchema.nullable() });

/** Fields that the operator can't set are those of the configured judge, if that is a model too. */
function judgeOf(set: JudgeSetting, configured: JudgeConfig | undefined): JudgeConfig | undefined {
  if (set === null) return undefined;
  const alike = typeof configured?.by === "string" ? configured : undefined;
  return {
    by: set.model,
    timeBoxMs: set.time_box_ms,
    onFailure: set.on_failure,
    categories: alike?.categories ?? judgeCategoriesOf(undefined),
    band: alike?.band,
    atOnce: configured?.atOnce ?? JUDGE_CONCURRENCY_DEFAULT,
  };
}

/** The fields that are not undefined. */
type Given<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

function given<Fields extends object>(fields: Fields): Given<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<Fields>;
}
