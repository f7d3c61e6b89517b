import type { Inference } from "../domain/inference.ts";
import type { Candidate, Route } from "../domain/route.ts";
import { Fault } from "../kit/fault.ts";
import type { CallerGuard } from "./caller-guard.ts";
import type { Guard } from "./guard.ts";
import { type Screened, screenInput } from "./screen-input.ts";

/** Why a model with rules of its own is not sent what they refuse. */
export const REFUSED_BY_ITS_RULES = "its safety rules refuse this input";

type OnVerdict = Parameters<typeof screenInput>[2];

/** Whom of a route the input may be sent to, and in which form. */
export interface ScreenedCandidates {
  readonly isAccepted: (candidate: Candidate) => boolean;
  readonly screened: Screened;
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
  const guards = caller.forOneRequest();
  const guardOf = ({ model }: Candidate) => guards.forModel(model);
  const all = new Set(candidates.map(guardOf));
  const accepting = all.size === 1 ? all : await thoseThatAccept(all, inference);
  const [one, ...others] = accepting;
  // Where all refuse, the refusal is that of the model that would have been called.
  const strictest =
    one === undefined
      ? guardOf(candidates[0])
      : others.length === 0
        ? one
        : guards.strictestOf([one, ...others]);
  return {
    isAccepted: (candidate) => accepting.has(guardOf(candidate)),
    screened: await screenInput(strictest, inference, onVerdict),
  };
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
