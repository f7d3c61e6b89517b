import type { Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { REALTIME_TASK, textInference } from "@trunkline/core/inference.ts";
import { fullNameOf, type Model } from "@trunkline/core/model.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import type { Candidate } from "@trunkline/core/route.ts";
import { allFailedFault, type FailedCandidate } from "@trunkline/providers/call/faults.ts";
import type { EventSocket } from "@trunkline/providers/realtime/event-socket.ts";
import { openRealtime } from "@trunkline/providers/realtime/open-realtime.ts";
import type { Services } from "../../app/services.ts";
import { unchargedSettlement } from "../../ledger/billing/settlement.ts";
import { planRoute } from "../plan-route.ts";
import type { IncomingRequest } from "../serve.ts";

/** A realtime model that answers. */
export interface OpenedModel {
  readonly model: Model;
  readonly provider: EventSocket;
}

/**
 * Finds the named realtime model and connects to it, or to the next that has this name. Throws the fault where the
 * caller may not use it or can't pay for a response, and where no provider answers; it is recorded.
 */
export async function openRealtimeModel(
  services: Services,
  { trace, signal }: IncomingRequest,
  caller: Caller,
  name: string | undefined,
  isBeta: boolean,
): Promise<OpenedModel> {
  try {
    if (name === undefined || name === "")
      throw new Fault("invalid_request", "Name a realtime model in the address: `?model=…`.", { param: "model" });
    if (caller.hasGuardrails === true)
      throw new Fault(
        "invalid_request",
        "Your account's guardrail hooks can't be asked in a realtime session. Use another operation, or switch the hooks off.",
      );
    const inference = { ...textInference("", REALTIME_TASK), model: name, streaming: true };
    trace.inference = inference;
    const { requestId, receivedAt } = trace;
    const { random } = services.routing;
    const route = await planRoute(services, caller, inference, { requestId, receivedAt, random, explores: false });
    trace.route = route;
    const failed: FailedCandidate[] = [];
    const { writeWaitMs } = services.config.limits;
    const { dialer, health } = services.providers;
    // Endpoints that admit no calls now are tried last.
    const turns = [...route.candidates.map(toTurn(false)), ...route.candidates.map(toTurn(true))];
    const tried = new Set<string>();
    for (const { model, isLastResort } of turns) {
      if (tried.has(model.id) || !(isLastResort || health.admit(model.id))) continue;
      tried.add(model.id);
      const observation = health.observe(model.id, { accountId: caller.accountId, hasSlot: !isLastResort });
      try {
        const provider = await openRealtime(dialer, { model, isBeta, writeWaitMs, signal });
        // That the connection opened ends an outage. The speed of the model is measured by its responses.
        observation.dispose();
        health.confirmed(model.id);
        return { model, provider };
      } catch (error) {
        const ms = observation.elapsedMs;
        const isFailure = error instanceof ProviderFailure && !signal.aborted;
        if (isFailure) observation.failed(error);
        else observation.dispose();
        signal.throwIfAborted();
        if (!isFailure) throw error;
        failed.push({ model: fullNameOf(model), ms, cause: error });
      }
    }
    throw allFailedFault(failed);
  } catch (error) {
    if (error instanceof Fault) services.ledger.recordRefusal(unchargedSettlement(trace, caller, error));
    throw error;
  }
}

function toTurn(isLastResort: boolean) {
  return ({ model }: Candidate) => ({ model, isLastResort });
}
