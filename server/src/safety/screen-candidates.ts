import type { Conversation } from "../domain/conversation.ts";
import type { Candidate, Route } from "../domain/route.ts";
import type { Verdict } from "../domain/verdict.ts";
import { Fault } from "../kit/fault.ts";
import type { CallerGuard } from "./caller-guard.ts";
import type { Guard } from "./guard.ts";
import { screenInput } from "./screen-input.ts";

/** Why a model with rules of its own is not sent what they refuse. */
export const REFUSED_BY_ITS_RULES = "its safety rules refuse this input";

type Screened = Awaited<ReturnType<typeof screenInput>>;

/** What is left of a route, and what the check before the call came to for it. */
export interface ScreenedCandidates {
  readonly candidates: Route["candidates"];
  readonly screened: Screened;
}

/**
 * The safety check before a provider is called, by the rules of each model that may be: those whose own rules refuse the
 * input are left out. What is left is treated as the strictest of them asks, so that it can be sent to any of them.
 */
export async function screenCandidates(
  caller: CallerGuard,
  candidates: Route["candidates"],
  conversation: Conversation,
  onVerdict: (verdict: Verdict) => void,
): Promise<ScreenedCandidates> {
  if (!caller.hasExceptions)
    return { candidates, screened: await screenInput(caller, conversation, onVerdict) };
  const guards = caller.forOneRequest();
  const guardOf = ({ model }: Candidate) => guards.forModel(model);
  const all = new Set(candidates.map(guardOf));
  const accepting = all.size === 1 ? all : await thoseThatAccept(all, conversation);
  const [first, ...others] = candidates.filter((candidate) => accepting.has(guardOf(candidate)));
  // Where all refuse, the refusal is that of the model that would have been called.
  if (first === undefined)
    return { candidates, screened: await screenInput(guardOf(candidates[0]), conversation, onVerdict) };
  const strictest = accepting.size === 1 ? guardOf(first) : guards.strictestOf([...accepting]);
  return { candidates: [first, ...others], screened: await screenInput(strictest, conversation, onVerdict) };
}

async function thoseThatAccept(
  guards: ReadonlySet<Guard>,
  conversation: Conversation,
): Promise<ReadonlySet<Guard>> {
  const accepting = new Set<Guard>();
  for (const guard of guards) {
    if (await accepts(guard, conversation)) accepting.add(guard);
  }
  return accepting;
}

async function accepts(guard: Guard, conversation: Conversation): Promise<boolean> {
  try {
    await screenInput(guard, conversation, () => undefined);
    return true;
  } catch (error) {
    if (error instanceof Fault && error.type === "unsafe_input") return false;
    throw error;
  }
}
