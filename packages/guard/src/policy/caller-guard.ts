import type { CallerSafetyRules, ServiceSafetyRules } from "@trunkline/core/safety-policy.ts";
import type { Detector } from "../detector.ts";
import { createBlanker, memoized, withAllowList } from "./allow-list.ts";
import { createGuard, type Guard, type GuardOptions, type SecondOpinion } from "./guard.ts";
import { type AttributedPolicy, EffectivePolicy, type ModelIdentity } from "./merge-policies.ts";
import { type SafetyPolicy, stricterPolicy } from "./policy.ts";

/** A Guard for one caller, by the rules of the service, the account and the key. */
export interface CallerGuard extends Guard {
  /** Whether some models have rules of their own. */
  readonly hasExceptions: boolean;
  /** The guard for what one model receives and answers. Models with the same rules share a guard. */
  forModel(model: ModelIdentity): Guard;
  /** The same guards for one request: each text is examined once, however many policies apply. */
  memoizedForRequest(): CallerGuard;
  /** A guard as strict as each of the given ones. */
  strictestOf(guards: readonly Guard[]): Guard;
}

function createCallerGuard(
  detector: Detector,
  rules: EffectivePolicy,
  options: Pick<GuardOptions, "blank" | "secondOpinion">,
): CallerGuard {
  const { dryRun, restoresRedactions, hasExceptions } = rules;
  const guards = new Map<AttributedPolicy, Guard>();
  const policyByGuard = new Map<Guard, SafetyPolicy>();
  const guardUnder = (attributed: AttributedPolicy): Guard => {
    const known = guards.get(attributed);
    if (known !== undefined) return known;
    const guard = createGuard(detector, attributed.policy, {
      ...options,
      restoresRedactions,
      dryRun,
      decidedBy: attributed.decidedBy,
    });
    guards.set(attributed, guard);
    policyByGuard.set(guard, attributed.policy);
    return guard;
  };
  const usual = guardUnder(rules.policyFor());
  return {
    ...usual,
    hasExceptions,
    forModel: (model) => (hasExceptions ? guardUnder(rules.policyFor(model)) : usual),
    memoizedForRequest: () => createCallerGuard(memoized(detector), rules, options),
    strictestOf(some) {
      const policy = some.map((guard) => policyByGuard.get(guard) ?? guard.policy).reduce(stricterPolicy);
      const { decidedBy } = rules.policyFor();
      return createGuard(detector, policy, { ...options, restoresRedactions, dryRun, decidedBy });
    },
  };
}

/** Caches each caller's guard until the service's rules, its judge or the caller's own rules change. */
export class CallerGuardCache {
  readonly #detector: Detector;
  readonly #currentSecondOpinion: () => SecondOpinion | undefined;
  #secondOpinion: SecondOpinion | undefined;
  #service: ServiceSafetyRules | undefined;
  #withoutOwnRules: CallerGuard | undefined;
  #byOwnRules = new WeakMap<CallerSafetyRules, CallerGuard>();

  /** `secondOpinion` returns the judge that is configured at the moment. */
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
