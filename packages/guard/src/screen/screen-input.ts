import { Fault } from "@trunkline/core/fault.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import type { Candidate } from "@trunkline/core/route.ts";
import type { Verdict } from "@trunkline/core/verdict.ts";
import type { CallerGuard } from "../policy/caller-guard.ts";
import type { Guard } from "../policy/guard.ts";
import { inputRefusal } from "../policy/refusal.ts";
import { combinePlainVerdicts, moreSevere, VerdictTally } from "../policy/verdict-tally.ts";
import { Redactions, redactRequest } from "../private-data/redactions.ts";
import { evaluatePassages } from "./evaluate-text.ts";
import { type Passage, requestPassages } from "./request-passages.ts";
import { spareAgents } from "./spare-agents.ts";

/**
 * The safety check before a provider is called. Evaluates every text that is sent, each in its channel, and reports the
 * most severe verdict, with spans as offsets into the text of the conversation. Private values are redacted from
 * everything that is sent. `onVerdict` is called even if the input is then refused. Returns a promise only where it has
 * to wait.
 */
export function screenInput(
  guard: Guard,
  inference: Inference,
  onVerdict: (verdict: Verdict, sent: Inference) => void,
): ScreenedInput | Promise<ScreenedInput> {
  const passages = requestPassages(inference);
  const verdicts = evaluatePassages(guard, passages);
  if (guard.redacts || verdicts instanceof Promise)
    return waitAndRedact(guard, inference, passages, verdicts, onVerdict);
  const spared = spareAgents(guard.policy, inference, passages, verdicts);
  const screened = { inference, redactions: new Redactions() };
  return reportVerdict(guard, combineVerdicts(passages, spared), screened, onVerdict, passages, spared);
}

async function waitAndRedact(
  guard: Guard,
  inference: Inference,
  passages: readonly Passage[],
  verdicts: readonly Verdict[] | Promise<readonly Verdict[]>,
  onVerdict: OnVerdict,
): Promise<ScreenedInput> {
  const spared = spareAgents(guard.policy, inference, passages, await verdicts);
  const evaluated = combineVerdicts(passages, spared);
  const screened = guard.redacts
    ? await redactRequest(inference, guard.findValuesToRedact)
    : { inference, redactions: new Redactions() };
  const verdict = withRedactionCounts(evaluated, screened.redactions);
  return reportVerdict(guard, verdict, screened, onVerdict, passages, spared);
}

/** Reports the verdict and throws if it refuses the input. */
function reportVerdict(
  guard: Guard,
  verdict: Verdict,
  screened: ScreenedInput,
  onVerdict: OnVerdict,
  passages: readonly Passage[],
  verdicts: readonly Verdict[],
): ScreenedInput {
  onVerdict(verdict, screened.inference);
  if (verdict.action === "refuse") throw inputRefusal(guard.policy, verdict, nameRefusedPart(passages, verdicts));
  return screened;
}

/**
 * Which part of a request was refused, as the subject of a sentence: an agent sends dozens of texts with each turn, and
 * its user has to find the one to remove.
 */
function nameRefusedPart(passages: readonly Passage[], verdicts: readonly Verdict[]): string {
  const refused = passages[verdicts.findIndex(({ action }) => action === "refuse")];
  if (refused === undefined) return "it";
  const { channel, offset } = refused;
  if (offset === undefined)
    return channel === "application"
      ? "a tool, a schema or a parameter"
      : channel === "document"
        ? "an attached document"
        : "an attachment's name or address";
  const alike = passages.filter((passage) => passage.channel === channel && passage.offset !== undefined);
  const place = `${alike.indexOf(refused) + 1} of ${alike.length}`;
  if (channel === "document") return alike.length === 1 ? "the tool result" : `tool result ${place}`;
  if (channel === "user") return alike.length === 1 ? "it" : `user message ${place}`;
  return alike.length === 1 ? "the system prompt or an earlier answer" : `text ${place} of the system and assistant`;
}

export interface ScreenedInput {
  /** The request to send. */
  readonly inference: Inference;
  /** What was redacted from it. */
  readonly redactions: Redactions;
}

function combineVerdicts(passages: readonly Passage[], verdicts: readonly Verdict[]): Verdict {
  const [first] = verdicts;
  // Nothing to combine, and no span to move.
  if (first !== undefined && verdicts.length === 1 && !first.flagged && first.opinions === undefined) return first;
  const plain = combinePlainVerdicts(verdicts);
  if (plain !== undefined) return plain;
  const tally = new VerdictTally();
  for (const [index, verdict] of verdicts.entries()) {
    const offset = passages[index]?.offset;
    tally.add(offset === undefined ? { ...verdict, spans: [] } : verdict, offset ?? 0);
  }
  return tally.verdict();
}

/** Values are redacted from more texts than are evaluated, and those count too. */
function withRedactionCounts(verdict: Verdict, redactions: Redactions): Verdict {
  if (redactions.isEmpty) return verdict;
  return {
    ...verdict,
    flagged: true,
    action: moreSevere(verdict.action, "redact"),
    redacted: redactions.counts,
  };
}

/** Why routing skips a model whose own rules refuse the input. */
export const REFUSED_BY_MODEL_RULES = "its safety rules refuse this input";

type OnVerdict = Parameters<typeof screenInput>[2];

/** The candidates that accept the input, and the form in which it is sent. */
export interface ScreenedCandidates {
  readonly isAccepted: (candidate: Candidate) => boolean;
  readonly screened: ScreenedInput;
}

/**
 * The safety check before a provider is called, for the rules of each candidate model. Models whose own rules refuse
 * the input are not accepted. The input is treated as the strictest of the others requires, so that it can be sent to
 * any of them. Returns a promise only where it has to wait.
 */
export function screenCandidates(
  caller: CallerGuard,
  candidates: readonly [Candidate, ...Candidate[]],
  inference: Inference,
  onVerdict: OnVerdict,
): ScreenedCandidates | Promise<ScreenedCandidates> {
  if (caller.hasExceptions) return screenByModel(caller, candidates, inference, onVerdict);
  const screening = screenInput(caller, inference, onVerdict);
  return screening instanceof Promise
    ? screening.then((screened) => ({ isAccepted: acceptsAll, screened }))
    : { isAccepted: acceptsAll, screened: screening };
}

function acceptsAll(): boolean {
  return true;
}

async function screenByModel(
  caller: CallerGuard,
  candidates: readonly [Candidate, ...Candidate[]],
  inference: Inference,
  onVerdict: OnVerdict,
): Promise<ScreenedCandidates> {
  const guards = caller.memoizedForRequest();
  const guardOf = ({ model }: Candidate) => guards.forModel(model);
  const all = new Set(candidates.map(guardOf));
  const refusals = all.size === 1 ? NO_REFUSALS : await findRefusals(all, inference);
  const accepting = new Set([...all].filter((guard) => !refusals.has(guard)));
  const first = guardOf(candidates[0]);
  const refusal = refusals.get(first);
  if (refusal !== undefined && accepting.size === 0) {
    // Report the verdict of the model that would have been called. Nothing is evaluated again: a judge that was busy
    // before might allow it now.
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

/** The verdict of a guard that refused the input. */
interface Refusal {
  readonly fault: Fault;
  readonly report: (onVerdict: OnVerdict) => void;
}

const NO_REFUSALS: ReadonlyMap<Guard, Refusal> = new Map();

async function findRefusals(guards: ReadonlySet<Guard>, inference: Inference): Promise<ReadonlyMap<Guard, Refusal>> {
  const refusals = new Map<Guard, Refusal>();
  for (const guard of guards) {
    const refusal = await findRefusal(guard, inference);
    if (refusal !== undefined) refusals.set(guard, refusal);
  }
  return refusals;
}

async function findRefusal(guard: Guard, inference: Inference): Promise<Refusal | undefined> {
  let report: Refusal["report"] = () => undefined;
  try {
    await screenInput(guard, inference, (verdict, sent) => {
      report = (onVerdict) => onVerdict(verdict, sent);
    });
    return undefined;
  } catch (fault) {
    if (fault instanceof Fault && fault.type === "unsafe_input") return { fault, report };
    throw fault;
  }
}
