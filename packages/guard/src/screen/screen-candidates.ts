import { Fault } from "@trunkline/core/fault.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import type { Candidate, Route } from "@trunkline/core/route.ts";
import type { CallerGuard } from "../policy/caller-guard.ts";
import type { Guard } from "../policy/guard.ts";
import { type ScreenedInput, screenInput } from "./screen-input.ts";

/** Why a model with rules of its own is not sent what they refuse. */
export const REFUSED_BY_MODEL_RULES = "its safety rules refuse this input";

type OnVerdict = Parameters<typeof screenInput>[2];

/** Whom of a route the input may be sent to, and in which form. */
export interface ScreenedCandidates {
  readonly isAccepted: (candidate: Candidate) => boolean;
  readonly screened: ScreenedInput;
}

/**
 * The safety check before a provider is called, by the rules of each model that may be: those whose own rules refuse the
 * input are not accepted. It is treated as the strictest of the others asks, so that it can be sent to any of them.
 */
export async function screenCandidates(
  caller: CallerGuard,
  candidates: Route["candidates"],
  inference: Inference,
  onVerdict: OnVerdict,
): Promise<ScreenedCandidates> {
  if (!caller.hasExceptions)
    return { isAccepted: () => true, screened: await screenInput(caller, inference, onVerdict) };
  const guards = caller.memoizedForRequest();
  const guardOf = ({ model }: Candidate) => guards.forModel(model);
  const all = new Set(candidates.map(guardOf));
  const refusals = all.size === 1 ? NO_REFUSALS : await findRefusals(all, inference);
  const accepting = new Set([...all].filter((guard) => !refusals.has(guard)));
  const first = guardOf(candidates[0]);
  const refusal = refusals.get(first);
  if (refusal !== undefined && accepting.size === 0) {
    // That of the model that would have been called. Nothing is judged again: a judge who has time by then may allow it.
    refusal.report(onVerdict);
    throw refusal.fault;
  }
  const [one = first, ...others] = accepting;
  const strictest = others.length === 0 ? one : guards.strictestOf([one, ...others]);
  return {
    isAccepted: (candidate) => accepting.has(guardOf(candidate)),
    screened: await screenInput(strictest, inference, onVerdict),
  };
}

/** What a guard made of an input that it refused. */
interface Refusal {
  readonly fault: Fault;
  readonly report: (onVerdict: OnVerdict) => void;
}

const NO_REFUSALS: ReadonlyMap<Guard, Refusal> = new Map();

async function findRefusals(
  guards: ReadonlySet<Guard>,
  inference: Inference,
): Promise<ReadonlyMap<Guard, Refusal>> {
  const refusals = new Map<Guard, Refusal>();
  for (const guard of guards) {
    const refusal = await findRefusal(guard, inference);
    if (refusal !== undefined) refusals.set(guard, refusal);
  }
  return refusals;
}

async function findRefusal(guard: Guard, inference: Inference): Promise<Refusal | undefined> {
  let tell: Refusal["report"] = () => undefined;
  try {
    await screenInput(guard, inference, (verdict, sent) => {
      tell = (onVerdict) => onVerdict(verdict, sent);
    });
    return undefined;
  } catch (fault) {
    if (fault instanceof Fault && fault.type === "unsafe_input") return { fault, report: tell };
    throw fault;
  }
}
