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
import { applyRules, BALANCED, everyCategory, type SafetyPolicy, stricterPolicy } from "./policy.ts";

/** Identifies a model in exceptions. */
export interface ModelIdentity {
  readonly provider: string | undefined;
  readonly name: string;
}

/** A policy, and the level whose rules set the thresholds of each category. */
export interface AttributedPolicy {
  readonly policy: SafetyPolicy;
  readonly decidedBy: Readonly<Record<SafetyCategory, SafetyLevel>>;
}

interface PolicyLayer {
  readonly level: SafetyLevel;
  readonly rules: SafetyRules;
}

/** The rules of the service, an account and a key merged into the policy for a caller. */
export class EffectivePolicy {
  readonly allowList: readonly string[];
  readonly dryRun: boolean;
  readonly restoresRedactions: boolean;
  readonly hasExceptions: boolean;
  readonly #service: PolicyLayer;
  readonly #own: readonly PolicyLayer[];
  readonly #locked: boolean;
  /** By the set of exceptions that apply. */
  readonly #policies = new Map<string, AttributedPolicy>();

  constructor(service: ServiceSafetyRules, own?: CallerSafetyRules) {
    this.#service = { level: "service", rules: service };
    this.#own = [layerOf("account", own?.account), layerOf("key", own?.key)].flat();
    this.#locked = service.locked ?? false;
    const policyLayers = [this.#service, ...this.#own];
    const effectiveLayers = this.#locked ? [this.#service] : policyLayers;
    this.allowList = lastDefined(effectiveLayers, ({ allowList }) => allowList) ?? [];
    this.dryRun = lastDefined(effectiveLayers, ({ dryRun }) => dryRun) ?? false;
    this.restoresRedactions =
      !(this.#locked && service.restore === false) && (lastDefined(policyLayers, ({ restore }) => restore) ?? true);
    this.hasExceptions = policyLayers.some(({ rules }) => (rules.exceptions?.length ?? 0) > 0);
  }

  /** The policy for a model; without one, the policy to which no exception applies. */
  policyFor(model?: ModelIdentity): AttributedPolicy {
    const key = this.hasExceptions && model !== undefined ? this.#exceptionKey(model) : "";
    const known = this.#policies.get(key);
    if (known !== undefined) return known;
    const merged = this.#merge(model);
    this.#policies.set(key, merged);
    return merged;
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
    const service = mergeLayer(
      { policy: BALANCED, decidedBy: everyCategory<SafetyLevel>("service") },
      this.#service,
      model,
    );
    const merged = this.#own.reduce((below, policyLayer) => mergeLayer(below, policyLayer, model), service);
    return this.#locked ? stricterAttributedPolicy(service, merged) : merged;
  }
}

/** Merges the operator's live settings over the configuration. The live settings win. */
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

function lastDefined<Value>(policyLayers: readonly PolicyLayer[], of: (rules: SafetyRules) => Value | undefined) {
  return policyLayers.reduce<Value | undefined>((before, { rules }) => of(rules) ?? before, undefined);
}

function mergeLayer(
  below: AttributedPolicy,
  { level, rules }: PolicyLayer,
  model: ModelIdentity | undefined,
): AttributedPolicy {
  const exceptions =
    model === undefined ? [] : (rules.exceptions ?? []).filter((exception) => appliesTo(exception, model));
  return [rules, ...exceptions].reduce((merged, layerRules) => mergeRules(merged, level, layerRules), below);
}

function mergeRules({ policy, decidedBy }: AttributedPolicy, level: SafetyLevel, rules: PolicyRules): AttributedPolicy {
  const newDecidedBy = rules.preset === undefined ? { ...decidedBy } : everyCategory(level);
  for (const category of SAFETY_CATEGORIES) {
    if (rules.categories?.[category] !== undefined) newDecidedBy[category] = level;
  }
  return { policy: applyRules(policy, rules), decidedBy: newDecidedBy };
}

/** Under a lock: categories that did not get stricter are still decided by the service. */
function stricterAttributedPolicy(service: AttributedPolicy, merged: AttributedPolicy): AttributedPolicy {
  const policy = stricterPolicy(service.policy, merged.policy);
  const decidedBy = { ...merged.decidedBy };
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
