import type { Caller } from "@trunkline/core/caller.ts";
import type { CancelSignal } from "@trunkline/core/cancellation.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import { filterRoute, type Route } from "@trunkline/core/route.ts";
import {
  REFUSED_BY_MODEL_RULES,
  type ScreenedCandidates,
  type ScreenedInput,
  screenCandidates,
} from "@trunkline/guard/screen/screen-input.ts";
import type { Services } from "../app/services.ts";
import { guardInput } from "./apply-guardrails.ts";
import { type PlanContext, planRoute } from "./plan-route.ts";

export interface PlannedRequest {
  readonly route: Route;
  /** The request as providers may see it. */
  readonly sent: Inference;
  /** The private values that were taken out of it. */
  readonly redactions: ScreenedInput["redactions"];
}

/**
 * Screens the input of a planned request: what can refuse it before the cache is asked and money is held. Returns a promise
 * only where it must wait, such as for a long text.
 */
export function screenPlanned(
  services: Services,
  trace: RequestTrace,
  signal: CancelSignal,
  caller: Caller,
  inference: Inference,
  context: PlanContext,
  route: Route,
): PlannedRequest | Promise<PlannedRequest> {
  trace.route = route;
  const candidates = route.candidates;
  services.providers.prober.considered(candidates);
  trace.endStage("route");
  const guard = services.guardFor(caller, inference.preferences.dataRules);
  const screening = screenCandidates(guard, candidates, inference, (verdict, safe) => {
    trace.inputVerdict = verdict;
    trace.inference = safe;
  });
  return screening instanceof Promise
    ? screening.then((screened) => accept(services, trace, signal, caller, inference, context, route, screened))
    : accept(services, trace, signal, caller, inference, context, route, screening);
}

/** Goes on with the candidates that accept the request. */
function accept(
  services: Services,
  trace: RequestTrace,
  signal: CancelSignal,
  caller: Caller,
  inference: Inference,
  context: PlanContext,
  route: Route,
  screening: ScreenedCandidates,
): PlannedRequest | Promise<PlannedRequest> {
  const { isAccepted, screened } = screening;
  const acceptedRoute = filterRoute(route, isAccepted, REFUSED_BY_MODEL_RULES) ?? route;
  trace.route = acceptedRoute;
  trace.endStage("screen");
  const planned: PlannedRequest = { route: acceptedRoute, sent: inference, redactions: screened.redactions };
  // Nearly all requests are sent as they came.
  if (screened.inference === inference && caller.hasGuardrails !== true) return planned;
  return planChanged(services, trace, signal, caller, context, planned, screening);
}

/** Plans a request again that is sent in another form: a redacted prompt has another length and so another price. */
async function planChanged(
  services: Services,
  trace: RequestTrace,
  signal: CancelSignal,
  caller: Caller,
  context: PlanContext,
  planned: PlannedRequest,
  { isAccepted, screened }: ScreenedCandidates,
): Promise<PlannedRequest> {
  const sent =
    caller.hasGuardrails === true
      ? await guardInput(services, caller, screened.inference, trace, signal)
      : screened.inference;
  if (sent === planned.sent) return planned;
  const replanned = await planRoute(services, caller, sent, context);
  trace.route = filterRoute(replanned, isAccepted, REFUSED_BY_MODEL_RULES) ?? planned.route;
  return { route: trace.route, sent, redactions: planned.redactions };
}
