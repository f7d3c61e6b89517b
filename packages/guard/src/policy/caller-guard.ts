import type { CallerSafetyRules, ServiceSafetyRules } from "@trunkline/core/safety-policy.ts";
import type { Detector } from "../detector.ts";
import { createBlanker, memoized, withAllowList } from "./allow-list.ts";
import { createGuard, type Guard, type GuardOptions, type SecondOpinion } from "./guard.ts";
import { type AttributedPolicy, EffectivePolicy, type ModelIdentity } from "./merge-policies.ts";
import { type SafetyPolicy, stricterPolicy } from "./policy.ts";

/** A caller's guard: by the rules of the service, the account and the key. */
export interface CallerGuard extends Guard {
  /** Whether some models have rules of their own. */
  readonly hasExceptions: boolean;
  /** What one model is sent and says is judged by this; models with the same rules have the same guard. */
  forModel(model: ModelIdentity): Guard;
  /** The same guards, for one request: a text is looked at once, by however many policies it is judged. */
  memoizedForRequest(): CallerGuard;
  /** Of some of these guards, one that is as strict as each of them. */
  strictestOf(guards: readonly Guard[]): Guard;
}

/** Makes a caller's guard out of what holds for the caller. */
function createCallerGuard(
  detector: Detector,
  rules: EffectivePolicy,
  terms: Pick<GuardOptions, "blank" | "secondOpinion">,
): CallerGuard {
  const { dryRun, restoresRedactions: restores, hasExceptions } = rules;
  const guards = new Map<AttributedPolicy, Guard>();
  const meant = new Map<Guard, SafetyPolicy>();
  const guardUnder = (laid: AttributedPolicy): Guard => {
    const known = guards.get(laid);
    if (known !== undefined) return known;
    const guard = createGuard(detector, laid.policy, {
      ...terms,
      restoresRedactions: restores,
      dryRun,
      decidedBy: laid.decidedBy,
    });
    guards.set(laid, guard);
    meant.set(guard, laid.policy);
    return guard;
  };
  const usual = guardUnder(rules.policyFor());
  return {
    ...usual,
    hasExceptions,
    forModel: (model) => (hasExceptions ? guardUnder(rules.policyFor(model)) : usual),
    memoizedForRequest: () => createCallerGuard(memoized(detector), rules, terms),
    strictestOf(some) {
      const policy = some.map((guard) => meant.get(guard) ?? guard.policy).reduce(stricterPolicy);
      const { decidedBy } = rules.policyFor();
      return createGuard(detector, policy, { ...terms, restoresRedactions: restores, dryRun, decidedBy });
    },
  };
}

/** Remembers every caller's guard for as long as neither the service's rules, its judge, nor the caller's own rules change. */
export class CallerGuardCache {
  readonly #detector: Detector;
  readonly #currentSecondOpinion: () => SecondOpinion | undefined;
  #secondOpinion: SecondOpinion | undefined;
  #service: ServiceSafetyRules | undefined;
  #withoutOwnRules: CallerGuard | undefined;
  #byOwnRules = new WeakMap<CallerSafetyRules, CallerGuard>();

  /** `secondOpinion`: who is asked at this moment. */
  constructor(detector: Detector, secondOpinion: () => SecondOpinion | undefined = () => undefined) {
    this.#detector = detector;
    this.#currentSecondOpinion = secondOpinion;
  }

  guardFor(service: ServiceSafetyRules, own: CallerSafetyRules | undefined): CallerGuard {
    const secondOpinion = this.#currentSecondOpinion();
    if (service !== this.#service || secondOpinion !== this.#secondOpinion) {
      this.#service = service;
      this.#secondOpinion = secondOpinion;
      this.#withoutOwnRules = undefined;
      this.#byOwnRules = new WeakMap();
    }
    if (own === undefined) {
      this.#withoutOwnRules ??= this.#create(service, undefined);
      return this.#withoutOwnRules;
    }
    const known = this.#byOwnRules.get(own);
    if (known !== undefined) return known;
    const guard = this.#create(service, own);
    this.#byOwnRules.set(own, guard);
    return guard;
  }

  #create(service: ServiceSafetyRules, own: CallerSafetyRules | undefined): CallerGuard {
    const rules = new EffectivePolicy(service, own);
    const blank = createBlanker(rules.allowList);
    const secondOpinion = this.#secondOpinion;
    return createCallerGuard(withAllowList(this.#detector, blank), rules, { blank, secondOpinion });
  }
}
