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
  /** What is kept under these names, all as of one moment. */
  read(names: readonly string[]): Promise<ReadonlyMap<string, unknown>>;
  /** All of them or none; undefined: nothing is kept under that name any more. */
  write(values: ReadonlyMap<string, unknown>): Promise<void>;
}

/** A judge that the operator has set; null: none. */
type JudgeSetting = z.infer<typeof judgeSettingSchema> | null;

const storedServiceSettings = z.object({
  signUp: z.enum(SIGN_UP_MODES).optional(),
  strategy: z.enum(STRATEGIES).optional(),
  learning: z.enum(LEARNING_MODES).optional(),
  welcomeCredits: z.string().regex(/^\d+$/).transform(BigInt).optional(),
  announcement: z.string().optional(),
});

/**
 * What the operator may change while the service runs: laid over what the configuration says, kept in the store, and
 * in memory on every instance.
 */
export class LiveSettings {
  readonly #store: SettingStore;
  readonly #configured: ServiceSettings;
  readonly #configuredSafety: ServiceSafetyRules;
  #current: ServiceSettings;
  #safety: ServiceSafetyRules;
  #safetyIsOwn = false;
  readonly #configuredJudge: JudgeConfig | undefined;
  #judge: JudgeConfig | undefined;
  #judgeIsOwn = false;
  readonly #fresh = new CoalescedReload(async () => this.#take(await this.#store.read(["service", "safety", "judge"])));

  constructor(store: SettingStore, config: Pick<Config, "signUp" | "strategy" | "routing" | "safety" | "judge">) {
    this.#store = store;
    this.#configured = {
      signUp: config.signUp,
      strategy: config.strategy,
      learning: config.routing.learning ? "on" : "frozen",
      welcomeCredits: 0n,
      announcement: "",
    };
    this.#configuredSafety = config.safety;
    this.#current = this.#configured;
    this.#safety = this.#configuredSafety;
    this.#configuredJudge = config.judge;
    this.#judge = config.judge;
  }

  get current(): ServiceSettings {
    return this.#current;
  }

  /** The service's own safety rules: the same object for as long as they are the same. */
  get safety(): ServiceSafetyRules {
    return this.#safety;
  }

  /** Whether the operator has set some of them while the service runs. */
  get safetyIsOwn(): boolean {
    return this.#safetyIsOwn;
  }

  /** Who is asked about doubtful texts: the same object for as long as nothing of it changes. */
  get judge(): JudgeConfig | undefined {
    return this.#judge;
  }

  /** Whether the operator has set the judge while the service runs, even if to none. */
  get judgeIsOwn(): boolean {
    return this.#judgeIsOwn;
  }

  /** Resolves when everything is at least as new as this call. */
  reload(): Promise<void> {
    return this.#fresh.reload();
  }

  /** What can't be understood, as a newer version may have written it, counts as not there. */
  #take(kept: ReadonlyMap<string, unknown>): void {
    const [service, safety, judge] = [kept.get("service"), kept.get("safety"), kept.get("judge")];
    this.#current = {
      ...this.#configured,
      ...given(storedServiceSettings.safeParse(service ?? {}).data ?? {}),
    };
    const own = safety === undefined ? undefined : parseStoredServiceSafetyRules(safety);
    this.#safetyIsOwn = own !== undefined;
    const laid = own === undefined ? this.#configuredSafety : mergeServiceRules(this.#configuredSafety, own);
    if (!isDeepStrictEqual(laid, this.#safety)) this.#safety = laid;
    const set = storedJudge.safeParse(judge).data?.set;
    this.#judgeIsOwn = set !== undefined;
    const named = set === undefined ? this.#configuredJudge : judgeOf(set, this.#configuredJudge);
    if (!isDeepStrictEqual(named, this.#judge)) this.#judge = named;
  }

  /** Only what was set is kept, and on top of what is kept now: the rest stays the configuration's, or another instance's. */
  async change(change: Partial<ServiceSettings>): Promise<void> {
    const known = (await this.#store.read(["service"])).get("service");
    const kept = storedServiceSettings.safeParse(known ?? {}).data ?? {};
    const { welcomeCredits, ...rest } = { ...given(kept), ...given(change) };
    await this.#store.write(new Map([["service", { ...rest, welcomeCredits: welcomeCredits?.toString() }]]));
    await this.reload();
  }

  /** `judge`: undefined leaves it to the configuration. */
  async changeSafety(safety: ServiceSafetyRules, judge?: JudgeSetting): Promise<void> {
    await this.#keepSafety(toSafetyRulesJson(safety), judge === undefined ? undefined : { set: judge });
  }

  /** Back to what the configuration says. */
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

/** What can't be set stays as the configuration has it for a model. */
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

/** A change without what it leaves as it is. */
type Given<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

function given<Fields extends object>(fields: Fields): Given<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<Fields>;
}
