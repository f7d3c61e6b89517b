import type { Inference } from "../domain/inference.ts";
import type { Model } from "../domain/model.ts";
import type { Candidate, Route } from "../domain/route.ts";
import type { Verdict } from "../domain/verdict.ts";
import { Fault } from "../kit/fault.ts";
import type { CallerGuard } from "./caller-guard.ts";
import type { Guard } from "./guard.ts";
import { type Screened, screenInput } from "./screen-input.ts";

/** Why a model with rules of its own is not sent what they refuse. */
export const REFUSED_BY_ITS_RULES = "its safety rules refuse this input";

/** What the check before the call came to, and which of the models it may be sent to. */
export interface ScreenedForSome extends Screened {
  accepts(model: Model): boolean;
}

/**
 * The safety check before a provider is called, by the rules of each model that may be: those whose own rules refuse the
 * input are left out. What is left is treated as the strictest of them asks, so that it can be sent to any of them.
 */
export async function screenCandidates(
  caller: CallerGuard,
  candidates: Route["candidates"],
  inference: Inference,
  onVerdict: (verdict: Verdict, sent: Inference) => void,
): Promise<ScreenedForSome> {
  const forAll = () => true;
  if (!caller.hasExceptions) return { ...(await screenInput(caller, inference, onVerdict)), accepts: forAll };
  const guards = caller.forOneRequest();
  const guardOf = ({ model }: Candidate) => guards.forModel(model);
  const all = new Set(candidates.map(guardOf));
  const accepting = all.size === 1 ? all : await thoseThatAccept(all, inference);
  const first = candidates.find((candidate) => accepting.has(guardOf(candidate)));
  // Where all refuse, the refusal is that of the model that would have been called.
  if (first === undefined)
    return { ...(await screenInput(guardOf(candidates[0]), inference, onVerdict)), accepts: forAll };
  const strictest = accepting.size === 1 ? guardOf(first) : guards.strictestOf([...accepting]);
  const screened = await screenInput(strictest, inference, onVerdict);
  return { ...screened, accepts: (model) => accepting.has(guards.forModel(model)) };
}

async function thoseThatAccept(
  guards: ReadonlySet<Guard>,
  inference: Inference,
): Promise<ReadonlySet<Guard>> {
  const accepting = new Set<Guard>();
  for (const guard of guards) {
    if (await accepts(guard, inference)) accepting.add(guard);
  }
  return accepting;
}

async function accepts(guard: Guard, inference: Inference): Promise<boolean> {
  try {
    await screenInput(guard, inference, () => undefined);
    return true;
  } catch (error) {
    if (error instanceof Fault && error.type === "unsafe_input") return false;
    throw error;
  }
}
