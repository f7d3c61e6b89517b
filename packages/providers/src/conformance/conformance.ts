import { type Clock, systemClock } from "@trunkline/core/clock.ts";
import { DialFailure } from "../dialer/dial-failure.ts";
import type { Dialer } from "../dialer/dialer.ts";
import { isObject } from "../http/json-object.ts";
import { answerProblem } from "./answer.ts";
import { ANSWER_CHECKS } from "./answer-checks.ts";
import type { Check, PlainAnswer } from "./check.ts";
import { explainFailure } from "./explain-failure.ts";
import { testRequestFor } from "./order.ts";
import { PLAIN_CHECKS } from "./plain-checks.ts";
import { REFUSAL_CHECKS } from "./refusal-checks.ts";
import { type ConformanceReport, type Finding, fail, pass } from "./report.ts";
import { STREAM_CHECKS } from "./stream-checks.ts";
import type { ConformanceTarget } from "./target.ts";
import { EndpointClient } from "./visit.ts";

export type { ConformanceReport } from "./report.ts";
export type { ConformanceTarget } from "./target.ts";

/** No check begins later than this. Every call has limits of its own, so that the end is never far. */
const CHECKS_START_MS_MAX = 60_000;

const CHECKS: readonly Check[] = [...PLAIN_CHECKS, ...REFUSAL_CHECKS, ...ANSWER_CHECKS, ...STREAM_CHECKS];

/** Calls an endpoint in every way that the provider contract knows and says what it makes of the answers. */
export async function checkNativeEndpoint(
  dialer: Dialer,
  target: ConformanceTarget,
  signal: AbortSignal = new AbortController().signal,
  clock: Clock = systemClock,
): Promise<ConformanceReport> {
  const startedMs = clock.monotonicMs();
  const endpointClient = new EndpointClient(dialer, target, clock, signal);
  const { findings, plain } = await sendPlainRequest(endpointClient, signal);
  // Without a plain answer every other check would only repeat the same trouble.
  if (plain === undefined) return reportOf(findings);

  for (const check of CHECKS.filter((candidate) => candidate.appliesTo(target, plain))) {
    signal.throwIfAborted();
    if (clock.monotonicMs() - startedMs > CHECKS_START_MS_MAX) {
      const message = `The endpoint is too slow to be checked: after a minute the check \`${check.name}\` and those after it had not begun.`;
      findings.push(fail("time-box", message));
      break;
    }
    findings.push(...(await runCheck(check, endpointClient, plain, signal)));
  }
  return reportOf(findings);
}

/** The first, plain request. */
async function sendPlainRequest(
  endpointClient: EndpointClient,
  signal: AbortSignal,
): Promise<{ findings: Finding[]; plain: PlainAnswer | undefined }> {
  const reachable = pass("reachable", "The endpoint can be reached.");
  try {
    const answer = await endpointClient.send(testRequestFor(endpointClient.target.type));
    const problem = answerProblem(answer);
    if (problem !== undefined || !isObject(answer.json)) {
      const failed = fail("plain-answer", `A plain request was not answered: ${problem}.`);
      return { findings: [reachable, failed], plain: undefined };
    }
    const answered = pass("plain-answer", "A plain request is answered with 200 and a JSON object.");
    return { findings: [reachable, answered], plain: { answer, body: answer.json } };
  } catch (error) {
    const failure = endpointFailure(error, signal);
    const begun = ["silence-timeout", "whole-timeout", "too-large"].includes(failure.kind);
    const failed = begun
      ? fail("plain-answer", `A plain request was not answered: ${explainFailure(failure)}.`)
      : fail("reachable", `The endpoint can't be reached: ${explainFailure(failure)}.`);
    return { findings: begun ? [reachable, failed] : [failed], plain: undefined };
  }
}

async function runCheck(
  check: Check,
  endpointClient: EndpointClient,
  plain: PlainAnswer,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  try {
    return await check.run(endpointClient, plain);
  } catch (error) {
    const failure = endpointFailure(error, signal);
    return [fail(check.name, `There was no answer this time: ${explainFailure(failure)}.`)];
  }
}

/** A failure that says something about the endpoint. A check that was called off has found nothing. */
function endpointFailure(error: unknown, signal: AbortSignal): DialFailure {
  signal.throwIfAborted();
  if (error instanceof DialFailure && error.kind !== "aborted") return error;
  throw error;
}

function reportOf(findings: readonly Finding[]): ConformanceReport {
  return { passed: findings.every((finding) => finding.verdict !== "fail"), findings };
}
