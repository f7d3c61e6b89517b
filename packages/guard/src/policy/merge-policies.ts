import { SAFETY_CATEGORIES, type SafetyCategory } from "@trunkline/core/safety-category.ts";
import type {
  OwnSafetyRules,
  PolicyRules,
  SafetyException,
  SafetyRules,
  ServiceSafetyRules,
} from "@trunkline/core/safety-rules.ts";
import type { SafetyLevel } from "@trunkline/core/verdict.ts";
import { BALANCED, layOver, type SafetyPolicy, stricterOf } from "./policy.ts";

/** By what rules are found that are about some models alone. */
export interface Named {
  readonly provider: string | undefined;
  readonly name: string;
}

/** A policy, and whose rules each of its categories' marks are. */
export interface LaidPolicy {
  readonly policy: SafetyPolicy;
  readonly decidedBy: Readonly<Record<SafetyCategory, SafetyLevel>>;
}

interface Layer {
  readonly level: SafetyLevel;
  readonly rules: SafetyRules;
}

/** The rules of the service, an account and a key, laid over each other: what holds for a caller. */
export class LaidRules {
  readonly allowList: readonly string[];
  readonly dryRun: boolean;
  readonly restores: boolean;
  readonly hasExceptions: boolean;
  readonly #service: Layer;
  readonly #own: readonly Layer[];
  readonly #locked: boolean;
  /** By which exceptions hold. */
  readonly #laid = new Map<string, LaidPolicy>();

  constructor(service: ServiceSafetyRules, own?: OwnSafetyRules) {
    this.#service = { level: "service", rules: service };
    this.#own = [layerOf("account", own?.account), layerOf("key", own?.key)].flat();
    this.#locked = service.locked ?? false;
    const layers = [this.#service, ...this.#own];
    const heard = this.#locked ? [this.#service] : layers;
    this.allowList = lastSaid(heard, ({ allowList }) => allowList) ?? [];
    this.dryRun = lastSaid(heard, ({ dryRun }) => dryRun) ?? false;
    this.restores =
      !(this.#locked && service.restore === false) && (lastSaid(layers, ({ restore }) => restore) ?? true);
    this.hasExceptions = layers.some(({ rules }) => (rules.exceptions?.length ?? 0) > 0);
  }

  /** What holds for a model; for whatever no exception is about, where none is given. */
  policyFor(model?: Named): LaidPolicy {
    const holding = this.hasExceptions && model !== undefined ? this.#signatureOf(model) : "";
    const known = this.#laid.get(holding);
    if (known !== undefined) return known;
    const laid = this.#lay(model);
    this.#laid.set(holding, laid);
    return laid;
  }

  #signatureOf(model: Named): string {
    let signature = "";
    for (const { level, rules } of [this.#service, ...this.#own]) {
      rules.exceptions?.forEach((exception, place) => {
        if (isAbout(exception, model)) signature += `${level} ${place},`;
      });
    }
    return signature;
  }

  #lay(model: Named | undefined): LaidPolicy {
    const service = lay({ policy: BALANCED, decidedBy: everyCategory("service") }, this.#service, model);
    const laid = this.#own.reduce((below, layer) => lay(below, layer, model), service);
    return this.#locked ? stricterLaid(service, laid) : laid;
  }
}

/** What the operator says while the service runs, over what the configuration says: of both, what was said last. */
export function laidRules(below: ServiceSafetyRules, above: ServiceSafetyRules): ServiceSafetyRules {
  return {
    preset: above.preset ?? below.preset,
    categories: above.preset === undefined ? { ...below.categories, ...above.categories } : above.categories,
    exceptions: above.exceptions ?? below.exceptions,
    allowList: above.allowList ?? below.allowList,
    dryRun: above.dryRun ?? below.dryRun,
    restore: above.restore ?? below.restore,
    locked: above.locked ?? below.locked,
  };
}

function layerOf(level: SafetyLevel, rules: SafetyRules | undefined): Layer[] {
  return rules === undefined ? [] : [{ level, rules }];
}

function lastSaid<Said>(layers: readonly Layer[], of: (rules: SafetyRules) => Said | undefined) {
  return layers.reduce<Said | undefined>((before, { rules }) => of(rules) ?? before, undefined);
}

function lay(below: LaidPolicy, { level, rules }: Layer, model: Named | undefined): LaidPolicy {
  const exceptions =
    model === undefined ? [] : (rules.exceptions ?? []).filter((exception) => isAbout(exception, model));
  return [rules, ...exceptions].reduce((laid, said) => layOne(laid, level, said), below);
}

function layOne({ policy, decidedBy }: LaidPolicy, level: SafetyLevel, rules: PolicyRules): LaidPolicy {
  const deciders = rules.preset === undefined ? { ...decidedBy } : everyCategory(level);
  for (const category of SAFETY_CATEGORIES) {
    if (rules.categories?.[category] !== undefined) deciders[category] = level;
  }
  return { policy: layOver(policy, rules), decidedBy: deciders };
}

/** Under a lock: where nothing got stricter, it is still the service that decides. */
function stricterLaid(service: LaidPolicy, laid: LaidPolicy): LaidPolicy {
  const policy = stricterOf(service.policy, laid.policy);
  const decidedBy = { ...laid.decidedBy };
  for (const category of SAFETY_CATEGORIES) {
    const [own, other] = [policy[category], service.policy[category]];
    const isSame =
      own.reportAt === other.reportAt && own.redactAt === other.redactAt && own.refuseAt === other.refuseAt;
    if (isSame) decidedBy[category] = service.decidedBy[category];
  }
  return { policy, decidedBy };
}

function isAbout({ models = [], providers = [] }: SafetyException, { provider, name }: Named): boolean {
  return (
    models.includes(name) ||
    (provider !== undefined && (providers.includes(provider) || models.includes(`${provider}/${name}`)))
  );
}

function everyCategory(level: SafetyLevel): Record<SafetyCategory, SafetyLevel> {
  return {
    injection: level,
    jailbreak: level,
    unsafe_intent: level,
    hate: level,
    harassment: level,
    sexual: level,
    sexual_minors: level,
    violence: level,
    self_harm: level,
    illicit: level,
    pii: level,
    secret: level,
  };
}
