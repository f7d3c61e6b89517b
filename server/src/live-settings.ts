import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { Config } from "./config.ts";
import type { JudgeConfig } from "./config-judge.ts";
import { STRATEGIES } from "./domain/inference.ts";
import type { ServiceSafetyRules } from "./domain/safety-rules.ts";
import { LEARNING, type ServiceSettings, SIGN_UP } from "./domain/service-settings.ts";
import { laidRules } from "./safety/lay-rules.ts";
import { judgeSet, judgeTells } from "./wire/judge.ts";
import { keptServiceRulesOf, rulesToWire } from "./wire/safety-rules.ts";

export interface SettingStore {
  read(name: string): Promise<unknown>;
  write(name: string, value: unknown): Promise<void>;
  forget(name: string): Promise<void>;
}

/** How many texts may be with a judge in one moment, where the configuration has none. */
const AT_ONCE = 32;

/** A judge that the operator has set; null: none. */
type SetJudge = z.infer<typeof judgeSet> | null;

const keptService = z.object({
  signUp: z.enum(SIGN_UP).optional(),
  strategy: z.enum(STRATEGIES).optional(),
  learning: z.enum(LEARNING).optional(),
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

  constructor(
    store: SettingStore,
    config: Pick<Config, "signUp" | "strategy" | "routing" | "safety" | "judge">,
  ) {
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

  /** Whether the operator has set that while the service runs, be it to nobody. */
  get judgeIsOwn(): boolean {
    return this.#judgeIsOwn;
  }

  /** Reads everything anew. What can't be understood, as a newer version may have written it, counts as not there. */
  async reload(): Promise<void> {
    const [service, safety, judge] = await Promise.all(
      ["service", "safety", "judge"].map((name) => this.#store.read(name)),
    );
    this.#current = { ...this.#configured, ...given(keptService.safeParse(service ?? {}).data ?? {}) };
    const own = safety === undefined ? undefined : keptServiceRulesOf(safety);
    this.#safetyIsOwn = own !== undefined;
    const laid = own === undefined ? this.#configuredSafety : laidRules(this.#configuredSafety, own);
    if (!isDeepStrictEqual(laid, this.#safety)) this.#safety = laid;
    const set = keptJudge.safeParse(judge).data?.set;
    this.#judgeIsOwn = set !== undefined;
    const named = set === undefined ? this.#configuredJudge : judgeOf(set, this.#configuredJudge);
    if (!isDeepStrictEqual(named, this.#judge)) this.#judge = named;
  }

  /** Only what was set is kept, and on top of what is kept now: the rest stays the configuration's, or another instance's. */
  async change(change: Partial<ServiceSettings>): Promise<void> {
    const kept = keptService.safeParse((await this.#store.read("service")) ?? {}).data ?? {};
    const { welcomeCredits, ...rest } = { ...given(kept), ...given(change) };
    await this.#store.write("service", { ...rest, welcomeCredits: welcomeCredits?.toString() });
    await this.reload();
  }

  /** `judge`: undefined leaves it to the configuration. */
  async changeSafety(safety: ServiceSafetyRules, judge?: SetJudge): Promise<void> {
    await this.#store.write("safety", rulesToWire(safety));
    if (judge === undefined) await this.#store.forget("judge");
    else await this.#store.write("judge", { set: judge });
    await this.reload();
  }

  /** Back to what the configuration says. */
  async forgetSafety(): Promise<void> {
    await this.#store.forget("safety");
    await this.#store.forget("judge");
    await this.reload();
  }
}

const keptJudge = z.object({ set: judgeSet.nullable() });

/** What can't be set stays as the configuration has it for a model. */
function judgeOf(set: SetJudge, configured: JudgeConfig | undefined): JudgeConfig | undefined {
  if (set === null) return undefined;
  const alike = typeof configured?.by === "string" ? configured : undefined;
  return {
    by: set.model,
    timeBoxMs: set.time_box_ms,
    onFailure: set.on_failure,
    categories: alike?.categories ?? judgeTells(undefined),
    band: alike?.band,
    atOnce: configured?.atOnce ?? AT_ONCE,
  };
}

/** A change without what it leaves as it is. */
type Given<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

function given<Fields extends object>(fields: Fields): Given<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Given<Fields>;
}
