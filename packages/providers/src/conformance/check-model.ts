import type { Adapter } from "@trunkline/core/adapter.ts";
import { type Clock, systemClock } from "@trunkline/core/clock.ts";
import { isObject } from "@trunkline/core/json-object.ts";
import type { Model } from "@trunkline/core/model.ts";
import { DialFailure, type DialFailureKind } from "../dialer/dial-request.ts";
import type { Dialer } from "../dialer/dialer.ts";
import { ANSWER_CHECKS, REFUSAL_CHECKS } from "./answer-checks.ts";
import { type Check, type ConformanceReport, type Finding, fail, type PlainAnswer, pass } from "./check.ts";
import { answerProblem, type ConformanceTarget, EndpointClient } from "./endpoint-client.ts";
import { PLAIN_CHECKS } from "./plain-checks.ts";
import { STREAM_CHECKS } from "./stream-checks.ts";
import { testRequestFor } from "./test-requests.ts";
import { checkWireFormat } from "./wire-format-check.ts";

/** Checks a model: against our contract where it uses our format, else by calling it in its own format. */
export function checkModel(
  { dialer, adapterFor }: { readonly dialer: Dialer; readonly adapterFor: (model: Model) => Adapter },
  model: Model,
  signal: AbortSignal = new AbortController().signal,
): Promise<ConformanceReport> {
  return model.wire === "trunkline"
    ? checkNativeEndpoint(dialer, model, signal)
    : checkWireFormat(adapterFor(model), model, signal);
}

export type { ConformanceReport } from "./check.ts";
export type { ConformanceTarget } from "./endpoint-client.ts";

/** No check starts later than this. Every call has its own limits, so the end is never far. */
const CHECKS_START_MS_MAX = 60_000;

const CHECKS: readonly Check[] = [...PLAIN_CHECKS, ...REFUSAL_CHECKS, ...ANSWER_CHECKS, ...STREAM_CHECKS];

/** Calls an endpoint in every way that the provider contract describes, and reports findings. */
export async function checkNativeEndpoint(
  dialer: Dialer,
  target: ConformanceTarget,
  signal: AbortSignal = new AbortController().signal,
  clock: Clock = systemClock,
): Promise<ConformanceReport> {
  const startedMs = clock.monotonicMs();
  const endpointClient = new EndpointClient(dialer, target, clock, signal);
  const { findings, plain } = await sendPlainRequest(endpointClient, signal);
  // Without a plain answer every other check would only report the same problem.
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

/**
 * A failure that says something about the endpoint; rethrows anything else, so that a cancelled check has no findings.
 */
function endpointFailure(error: unknown, signal: AbortSignal): DialFailure {
  signal.throwIfAborted();
  if (error instanceof DialFailure && error.kind !== "aborted") return error;
  throw error;
}

function reportOf(findings: readonly Finding[]): ConformanceReport {
  return { passed: findings.every((finding) => finding.verdict !== "fail"), findings };
}

/** One and the same for a name that does not exist and one that leads inside. */
const NO_PUBLIC_ADDRESS =
  "its host leads to no public address. Register an https address that is reachable from the internet";
const FAILURE_EXPLANATIONS: Record<DialFailureKind, string> = {
  "forbidden-address": NO_PUBLIC_ADDRESS,
  refused: "nothing listens at its address. Start the endpoint and check the port",
  dns: NO_PUBLIC_ADDRESS,
  tls: "its TLS certificate or handshake was not accepted. Use a certificate that is valid for this host name",
  "connect-timeout": "it did not take the connection in time. Check the address and the firewall",
  "first-byte-timeout": "it took the request and did not begin to answer in time",
  "silence-timeout": "it began to answer and then fell silent",
  "whole-timeout": "it did not finish its answer in time",
  "too-large": "its answer is larger than the limit",
  reset: "it closed the connection in the middle",
  aborted: "the call was stopped",
};

/** Why a call failed, as a phrase after “but” or a colon. */
function explainFailure(failure: DialFailure): string {
  return FAILURE_EXPLANATIONS[failure.kind];
}
