import type { Part } from "@trunkline/core/answer.ts";
import type { Caller } from "@trunkline/core/caller.ts";
import { countTokens } from "@trunkline/core/count-tokens.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import type { Journal } from "@trunkline/core/journal.ts";
import { judgeFor } from "@trunkline/core/json-schema/answer-check.ts";
import { describeRest } from "@trunkline/core/key-rotation.ts";
import { requoter } from "@trunkline/core/requote.ts";
import type { Candidate, Route } from "@trunkline/core/route.ts";
import { wait } from "@trunkline/core/wait.ts";
import type { CallerGuard } from "@trunkline/guard/policy/caller-guard.ts";
import type { Guard } from "@trunkline/guard/policy/guard.ts";
import { Restorer } from "@trunkline/guard/private-data/redaction-restorer.ts";
import type { Vault } from "@trunkline/guard/private-data/vault.ts";
import { AnswerContext } from "@trunkline/guard/screen/answer-context.ts";
import { screenOutput } from "@trunkline/guard/screen/screen-output.ts";
import { callCandidates } from "@trunkline/providers/call/call-candidates.ts";
import type { House } from "../app/services.ts";
import type { Bill } from "../ledger/billing/bill.ts";
import { cascade } from "./cascade.ts";

/** What an answer is made of, and who has to hear of it. */
export interface Making {
  readonly house: House;
  readonly caller: Caller;
  readonly route: Route;
  /** As a provider may see it. */
  readonly inference: Inference;
  /** What was taken out of it. */
  readonly vault: Vault;
  readonly bill: Bill;
  readonly journal: Journal;
  /** Ends the calls that run. */
  readonly signal: AbortSignal;
}

/** The answer of the best candidate that gives one; in a cascade, of the first whose answer passes the check. */
export function makeAnswer(making: Making): AsyncIterable<Part> {
  const { house, caller, route, inference, vault } = making;
  house.retries.noteRequest(caller.accountId);
  const check = inference.cascade;
  if (check === undefined) return screened(making, call(making, route.candidates, inference));
  // A step has but one model, and what fails goes to the next: nobody is asked again, and nobody goes on for another.
  const alone: Inference = { ...inference, continues: false };
  const judge = judgeFor(inference, check);
  const isJson = inference.conversation.answerForm !== undefined;
  return cascade({
    ...making,
    candidates: route.candidates,
    // The check is of what the client reads.
    judge: (parts) => judge(new Restorer(vault.byPlaceholder, isJson).restoreAll(parts)),
    maxCost: inference.preferences.maxCost,
    ask: (candidate) => screened(making, call(making, [candidate], alone)),
  });
}

/** The safety check on the way back. */
export function screened(
  {
    house,
    caller,
    inference,
    vault,
    journal,
  }: Pick<Making, "house" | "caller" | "inference" | "vault" | "journal">,
  made: AsyncIterable<Part>,
): AsyncIterable<Part> {
  const guard = guardOfSpeaker(house.guardFor(caller), journal);
  return screenOutput(guard, new AnswerContext(inference, vault), made, (verdict) => {
    journal.outputVerdict = verdict;
  });
}

/** By the rules of whichever model speaks: where one goes on for another, by its own from there on. */
function guardOfSpeaker(guard: CallerGuard, journal: Journal): Guard {
  if (!guard.hasExceptions) return guard;
  const speaking = () => (journal.chosen === undefined ? guard : guard.forModel(journal.chosen.model));
  return {
    restores: guard.restores,
    // Whether any value is taken out is seen once somebody speaks.
    redacts: true,
    get policy() {
      return speaking().policy;
    },
    judge: (text, channel) => speaking().judge(text, channel),
    judging: (text, channel) => speaking().judging(text, channel),
    follow: () => guard.follow(),
    weigh: (news) => speaking().weigh(news),
    valuesIn: (text) => speaking().valuesIn(text),
  };
}

/** The call: candidates, best first. The bill hears what they make. */
function call(
  { house, caller, bill, journal, signal }: Making,
  candidates: Route["candidates"],
  inference: Inference,
): AsyncIterable<Part> {
  const made = callCandidates({
    candidates,
    inference,
    requestId: journal.requestId,
    accountId: caller.accountId,
    signal,
    adapterFor: house.adapterFor,
    health: house.health,
    clock: house.clock,
    secure: async (candidate) => isWithinBound(bill, candidate, inference) && bill.covers(candidate),
    mayRetry: () => inference.cascade === undefined && house.retries.take(caller.accountId),
    requote: requoter(),
    countTokens,
    random: house.random,
    wait,
    onAttempt: (attempt) => journal.attempts.push(attempt),
    onChosen: (candidate, dropped) => {
      journal.chosen = candidate;
      if (inference.cascade === undefined) journal.legs++;
      journal.droppedByProvider = dropped;
      bill.turnTo(candidate);
    },
    onKeyRests: ({ provider }, rest) => house.warnCalmly(undefined, describeRest(provider, rest)),
  });
  return listen(bill, made);
}

/** What the client pays at most is for all that make the answer together. The first was chosen by it; others go on beside it. */
function isWithinBound(bill: Bill, { quote }: Candidate, { preferences: { maxCost } }: Inference): boolean {
  return maxCost === undefined || bill.costSoFar + quote.worst <= maxCost;
}

/** The bill hears what the provider made, before moderation takes anything away. */
async function* listen(bill: Bill, parts: AsyncIterable<Part>): AsyncGenerator<Part> {
  for await (const part of parts) {
    bill.hear(part);
    yield part;
  }
}
