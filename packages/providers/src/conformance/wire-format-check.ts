import { randomBytes } from "node:crypto";
import type { Adapter } from "@trunkline/core/adapter.ts";
import { newId } from "@trunkline/core/id.ts";
import type { Model } from "@trunkline/core/model.ts";
import type { Part, UsagePart } from "@trunkline/core/parts.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { type ConformanceReport, type Finding, fail, pass, warn } from "./check.ts";
import { limitsForChecks, testInference } from "./test-requests.ts";

/** The result of one call: its parts, or its failure. */
type CallOutcome = readonly Part[] | ProviderFailure;

/**
 * Checks a model of another wire format by calling it as requests do. The format itself is its vendor's responsibility.
 */
export async function checkWireFormat(adapter: Adapter, model: Model, signal: AbortSignal): Promise<ConformanceReport> {
  const patient = { ...model, limits: limitsForChecks(model.limits, model.type) };
  const ask = (changes: Partial<Model> = {}, streaming = false) =>
    callOnce(adapter, { ...patient, ...changes }, streaming, signal);
  const answersInText = model.type === "text" || model.type === "multimodal";

  const plain = await ask();
  // Without a plain answer every other check would only report the same problem.
  if (plain instanceof ProviderFailure) return reportOf([fail("plain-answer", notAnswered(plain))]);
  const findings = [
    pass("plain-answer", "A plain request is answered."),
    judgeOutput(plain, model),
    ...(answersInText ? [judgeUsage(plain)] : []),
  ];
  if (answersInText && model.streaming) findings.push(judgeStream(await ask({}, true)));
  if (model.authType !== "none" && model.credential !== undefined) {
    const wrongKey = new Secret(`wrong-${randomBytes(12).toString("hex")}`);
    findings.push(judgeRefusal("wrong-credential", "A wrong key", await ask({ credential: wrongKey })));
  }
  const unknownModel = `no-such-model-${randomBytes(4).toString("hex")}`;
  findings.push(judgeRefusal("wrong-model", "An unknown model", await ask({ upstreamModel: unknownModel })));
  return reportOf(findings);
}

async function callOnce(adapter: Adapter, model: Model, streaming: boolean, signal: AbortSignal): Promise<CallOutcome> {
  const parts: Part[] = [];
  try {
    const inference = testInference(model, streaming);
    for await (const group of adapter.call({ model, inference, requestId: newId(), signal })) parts.push(...group);
    return parts;
  } catch (error) {
    // A cancelled check has no findings.
    signal.throwIfAborted();
    if (error instanceof ProviderFailure) return error;
    throw error;
  }
}

function judgeOutput(parts: readonly Part[], { type }: Model): Finding {
  const has = {
    text: parts.some((part) => part.type === "text" && part.text.trim() !== ""),
    media: parts.some((part) => part.type === "media" && part.kind === type),
    embedding: parts.some((part) => part.type === "embedding"),
  };
  const isThere =
    type === "embedding"
      ? has.embedding
      : type === "image" || type === "audio"
        ? has.media
        : has.text || parts.some((part) => part.type === "media");
  return isThere
    ? pass("output-form", `The output has the form of ${type} models.`)
    : fail("output-form", `The answer has nothing that a model of type ${type} should give. Check \`type\`.`);
}

function judgeUsage(parts: readonly Part[]): Finding {
  const usage = parts.find((part): part is UsagePart => part.type === "usage");
  if (usage === undefined) return warn("usage", "The answer reports no usage, so that tokens will be counted for you.");
  const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;
  return isCount(usage.inputTokens) && isCount(usage.outputTokens)
    ? pass("usage", "The usage is reported in whole numbers.")
    : warn("usage", "The usage is not reported in whole numbers, so that tokens will be counted for you.");
}

function judgeStream(callOutcome: CallOutcome): Finding {
  if (callOutcome instanceof ProviderFailure)
    return fail("streaming", `To a request for a stream it ${callOutcome.reason}.`);
  const pieces = callOutcome.filter((part) => part.type === "text").length;
  return pieces > 0
    ? pass("streaming", `The answer is streamed in ${pieces === 1 ? "1 piece" : `${pieces} pieces`}.`)
    : fail("streaming", "The streamed answer has no text. Register the model with `streaming: false`.");
}

/** Many local servers check neither key nor model name, so this is only a warning. */
function judgeRefusal(check: string, asked: string, callOutcome: CallOutcome): Finding {
  if (!(callOutcome instanceof ProviderFailure)) return warn(check, `${asked} was answered like the right one.`);
  if (callOutcome.kind === "refused" || callOutcome.kind === "rejected") return pass(check, `${asked} is refused.`);
  return warn(check, `${asked} was not refused as it should be: it ${callOutcome.reason}.`);
}

function notAnswered({ reason, kind }: ProviderFailure): string {
  const advice =
    kind === "refused"
      ? "Check the endpoint, the key and the way it is sent"
      : kind === "rejected"
        ? "Check `wire`, `upstream_model` and that the endpoint is the base URL of the API"
        : "Check that the endpoint is the base URL of an API of this format";
  return `A plain request was not answered: ${reason}. ${advice}.`;
}

function reportOf(findings: readonly Finding[]): ConformanceReport {
  return { passed: findings.every(({ verdict }) => verdict !== "fail"), findings };
}
