import {
  type CallerSafetyRules,
  type PolicyRules,
  SAFETY_CATEGORIES,
  type SafetyCategory,
  type SafetyException,
  type SafetyRules,
  type ServiceSafetyRules,
} from "@trunkline/core/safety-policy.ts";
import type { SafetyLevel } from "@trunkline/core/verdict.ts";
import { applyRules, BALANCED, type SafetyPolicy, stricterPolicy } from "./policy.ts";

/** By what rules are found that are about some models alone. */
export interface ModelIdentity {
  readonly provider: string | undefined;
  readonly name: string;
}

/** A policy, and whose rules each of its categories' marks are. */
export interface AttributedPolicy {
  readonly policy: SafetyPolicy;
  readonly decidedBy: Readonly<Record<SafetyCategory, SafetyLevel>>;
}

interface PolicyLayer {
  readonly level: SafetyLevel;
  readonly rules: SafetyRules;
}

/** The rules of the service, an account and a key, laid over each other: what holds for a caller. */
export class EffectivePolicy {
  readonly allowList: readonly string[];
  readonly dryRun: boolean;
  readonly restoresRedactions: boolean;
  readonly hasExceptions: boolean;
  readonly #service: PolicyLayer;
  readonly #own: readonly PolicyLayer[];
  readonly #locked: boolean;
  /** By which exceptions hold. */
  readonly #policies = new Map<string, AttributedPolicy>();

  constructor(service: ServiceSafetyRules, own?: CallerSafetyRules) {
    this.#service = { level: "service", rules: service };
    this.#own = [layerOf("account", own?.account), layerOf("key", own?.key)].flat();
    this.#locked = service.locked ?? false;
    const policyLayers = [this.#service, ...this.#own];
    const heard = this.#locked ? [this.#service] : policyLayers;
    this.allowList = lastDefined(heard, ({ allowList }) => allowList) ?? [];
    this.dryRun = lastDefined(heard, ({ dryRun }) => dryRun) ?? false;
    this.restoresRedactions =
      !(this.#locked && service.restore === false) && (lastDefined(policyLayers, ({ restore }) => restore) ?? true);
    this.hasExceptions = policyLayers.some(({ rules }) => (rules.exceptions?.length ?? 0) > 0);
  }

  /** What holds for a model; for whatever no exception is about, where none is given. */
  policyFor(model?: ModelIdentity): AttributedPolicy {
    const holding = this.hasExceptions && model !== undefined ? this.#exceptionKey(model) : "";
    const known = this.#policies.get(holding);
    if (known !== undefined) return known;
    const laid = this.#merge(model);
    this.#policies.set(holding, laid);
    return laid;
  }

  #exceptionKey(model: ModelIdentity): string {
    let signature = "";
    for (const { level, rules } of [this.#service, ...this.#own]) {
      rules.exceptions?.forEach((exception, place) => {
        if (appliesTo(exception, model)) signature += `${level} ${place},`;
      });
    }
    return signature;
  }

  #merge(model: ModelIdentity | undefined): AttributedPolicy {
    const service = mergeLayer({ policy: BALANCED, decidedBy: everyCategory("service") }, this.#service, model);
    const laid = this.#own.reduce((below, policyLayer) => mergeLayer(below, policyLayer, model), service);
    return this.#locked ? stricterAttributedPolicy(service, laid) : laid;
  }
}

/** What the operator says while the service runs, over what the configuration says: of both, what was said last. */
export function mergeServiceRules(below: ServiceSafetyRules, above: ServiceSafetyRules): ServiceSafetyRules {
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

function layerOf(level: SafetyLevel, rules: SafetyRules | undefined): PolicyLayer[] {
  return rules === undefined ? [] : [{ level, rules }];
}

function lastDefined<Said>(policyLayers: readonly PolicyLayer[], of: (rules: SafetyRules) => Said | undefined) {
  return policyLayers.reduce<Said | undefined>((before, { rules }) => of(rules) ?? before, undefined);
}

function mergeLayer(
  below: AttributedPolicy,
  { level, rules }: PolicyLayer,
  model: ModelIdentity | undefined,
): AttributedPolicy {
  const exceptions =
    model === undefined ? [] : (rules.exceptions ?? []).filter((exception) => appliesTo(exception, model));
  return [rules, ...exceptions].reduce((laid, said) => mergeRules(laid, level, said), below);
}

function mergeRules({ policy, decidedBy }: AttributedPolicy, level: SafetyLevel, rules: PolicyRules): AttributedPolicy {
  const deciders = rules.preset === undefined ? { ...decidedBy } : everyCategory(level);
  for (const category of SAFETY_CATEGORIES) {
    if (rules.categories?.[category] !== undefined) deciders[category] = level;
  }
  return { policy: applyRules(policy, rules), decidedBy: deciders };
}

/** Under a lock: where nothing got stricter, it is still the service that decides. */
function stricterAttributedPolicy(service: AttributedPolicy, laid: AttributedPolicy): AttributedPolicy {
  const policy = stricterPolicy(service.policy, laid.policy);
  const decidedBy = { ...laid.decidedBy };
  for (const category of SAFETY_CATEGORIES) {
    const [own, other] = [policy[category], service.policy[category]];
    const isSame =
      own.reportAt === other.reportAt && own.redactAt === other.redactAt && own.refuseAt === other.refuseAt;
    if (isSame) decidedBy[category] = service.decidedBy[category];
  }
  return { policy, decidedBy };
}

function appliesTo({ models = [], providers = [] }: SafetyException, { provider, name }: ModelIdentity): boolean {
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
