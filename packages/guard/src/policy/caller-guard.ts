import type { OwnSafetyRules, ServiceSafetyRules } from "@trunkline/core/safety-rules.ts";
import type { Detector } from "../detector.ts";
import { blankerOf, remembering, sparing } from "./allow-list.ts";
import { type Guard, type GuardTerms, guardOf } from "./guard.ts";
import { type LaidPolicy, LaidRules, type Named } from "./merge-policies.ts";
import { type SafetyPolicy, stricterOf } from "./policy.ts";
import type { SecondOpinion } from "./second-opinion.ts";

/** A caller's guard: by the rules of the service, the account and the key. */
export interface CallerGuard extends Guard {
  /** Whether some models have rules of their own. */
  readonly hasExceptions: boolean;
  /** What one model is sent and says is judged by this; models with the same rules have the same guard. */
  forModel(model: Named): Guard;
  /** The same guards, for one request: a text is looked at once, by however many policies it is judged. */
  forOneRequest(): CallerGuard;
  /** Of some of these guards, one that is as strict as each of them. */
  strictestOf(guards: readonly Guard[]): Guard;
}

/** Makes a caller's guard out of what holds for the caller. */
function callerGuardOf(
  detector: Detector,
  rules: LaidRules,
  terms: Pick<GuardTerms, "blank" | "secondOpinion">,
): CallerGuard {
  const { dryRun, restores, hasExceptions } = rules;
  const guards = new Map<LaidPolicy, Guard>();
  const meant = new Map<Guard, SafetyPolicy>();
  const guardUnder = (laid: LaidPolicy): Guard => {
    const known = guards.get(laid);
    if (known !== undefined) return known;
    const guard = guardOf(detector, laid.policy, { ...terms, restores, dryRun, decidedBy: laid.decidedBy });
    guards.set(laid, guard);
    meant.set(guard, laid.policy);
    return guard;
  };
  const usual = guardUnder(rules.policyFor());
  return {
    ...usual,
    hasExceptions,
    forModel: (model) => (hasExceptions ? guardUnder(rules.policyFor(model)) : usual),
    forOneRequest: () => callerGuardOf(remembering(detector), rules, terms),
    strictestOf(some) {
      const policy = some.map((guard) => meant.get(guard) ?? guard.policy).reduce(stricterOf);
      const { decidedBy } = rules.policyFor();
      return guardOf(detector, policy, { ...terms, restores, dryRun, decidedBy });
    },
  };
}

/** Remembers every caller's guard for as long as neither the service's rules, its judge, nor the caller's own rules change. */
export class CallerGuards {
  readonly #detector: Detector;
  readonly #secondOpinionNow: () => SecondOpinion | undefined;
  #secondOpinion: SecondOpinion | undefined;
  #service: ServiceSafetyRules | undefined;
  #plain: CallerGuard | undefined;
  #own = new WeakMap<OwnSafetyRules, CallerGuard>();

  /** `secondOpinion`: who is asked at this moment. */
  constructor(detector: Detector, secondOpinion: () => SecondOpinion | undefined = () => undefined) {
    this.#detector = detector;
    this.#secondOpinionNow = secondOpinion;
  }

  guardFor(service: ServiceSafetyRules, own: OwnSafetyRules | undefined): CallerGuard {
    const secondOpinion = this.#secondOpinionNow();
    if (service !== this.#service || secondOpinion !== this.#secondOpinion) {
      this.#service = service;
      this.#secondOpinion = secondOpinion;
      this.#plain = undefined;
      this.#own = new WeakMap();
    }
    if (own === undefined) {
      this.#plain ??= this.#make(service, undefined);
      return this.#plain;
    }
    const known = this.#own.get(own);
    if (known !== undefined) return known;
    const guard = this.#make(service, own);
    this.#own.set(own, guard);
    return guard;
  }

  #make(service: ServiceSafetyRules, own: OwnSafetyRules | undefined): CallerGuard {
    const rules = new LaidRules(service, own);
    const blank = blankerOf(rules.allowList);
    const secondOpinion = this.#secondOpinion;
    return callerGuardOf(sparing(this.#detector, blank), rules, { blank, secondOpinion });
  }
}
