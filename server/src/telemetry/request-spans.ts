import type { Caller } from "@trunkline/core/caller.ts";
import type { Content, Conversation } from "@trunkline/core/conversation.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { cachedFullNameOf, type Model, upstreamNameOf } from "@trunkline/core/model.ts";
import { toCredits } from "@trunkline/core/money.ts";
import type { Attempt } from "@trunkline/core/provider-failure.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import type { TraceContext } from "@trunkline/core/trace-context.ts";
import { intendedAction } from "@trunkline/core/verdict.ts";
import { ATTRIBUTES, conventionalProvider, OPERATION_OF_TASK } from "./semantic-conventions.ts";
import { type Attributes, KnownAttributes, round, type SpanWriter } from "./span-writer.ts";

/** Where a request came from. */
export interface RequestClient {
  readonly method: string;
  readonly ip: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A request that has ended, and its answer. */
export interface EndedRequest {
  readonly trace: RequestTrace;
  readonly status: number;
  /** undefined: it did not come by HTTP. */
  readonly method: string | undefined;
  /** From its beginning to its end. */
  readonly ms: number;
  /** Whether its texts are in the spans. */
  readonly withContent: boolean;
}

/**
 * Writes the spans of a request that has ended: one for the request, one for each stage, and one for each call of a provider
 * below the stage in which it was made.
 */
export function writeRequestSpans(writer: SpanWriter, request: EndedRequest, context: TraceContext): void {
  writeRequestSpan(writer, request, context);
  const { trace } = request;
  writer.stages(trace);
  for (const attempt of trace.attempts) writeCall(writer, trace, attempt);
}

/** Writes the span of the request as a whole. */
export function writeRequestSpan(writer: SpanWriter, request: EndedRequest, context: TraceContext): void {
  const { trace, status, method, ms } = request;
  const { name, attributes } = requestKindOf(method, trace.path, status);
  writer.begin(context, trace.receivedAt.getTime());
  writer.openRequest(name, ms);
  writer.known(attributes).string(ATTRIBUTES.errorType, trace.faultType).plain(ATTRIBUTES.requestId, trace.requestId);
  if (trace.caller !== undefined) writer.known(callerAttributesOf(trace.caller));
  if (trace.inference !== undefined) addInference(writer, trace, trace.inference, request.withContent);
  writer.close(status >= 500 ? (trace.faultType ?? String(status)) : undefined);
}

/** How many of each kind are kept. */
const KNOWN_MAX = 2_000;

/** What the requests of an endpoint with one status have in common. */
interface RequestKind {
  readonly method: string | undefined;
  readonly status: number;
  readonly name: string;
  readonly attributes: KnownAttributes;
}

const requestKinds = new Map<string, RequestKind[]>();

function requestKindOf(method: string | undefined, path: string, status: number): RequestKind {
  const ofPath = requestKinds.get(path);
  const known = ofPath?.find((kind) => kind.status === status && kind.method === method);
  if (known !== undefined) return known;
  const attributes = new KnownAttributes((to) =>
    to.string(ATTRIBUTES.httpMethod, method).string(ATTRIBUTES.httpRoute, path).int(ATTRIBUTES.httpStatus, status),
  );
  const kind = { method, status, name: `${method ?? "POST"} ${path}`, attributes };
  if (ofPath !== undefined) ofPath.push(kind);
  else {
    // Paths that do not exist are made up by clients.
    if (requestKinds.size === KNOWN_MAX) requestKinds.clear();
    requestKinds.set(path, [kind]);
  }
  return kind;
}

const callers = new Map<string, { readonly accountId: string; readonly attributes: KnownAttributes }>();

function callerAttributesOf({ keyId, accountId }: Caller): KnownAttributes {
  const known = callers.get(keyId);
  // A person has one id in several organisations.
  if (known?.accountId === accountId) return known.attributes;
  const attributes = new KnownAttributes((to) =>
    to.string(ATTRIBUTES.account, accountId).string(ATTRIBUTES.key, keyId),
  );
  if (callers.size === KNOWN_MAX) callers.clear();
  callers.set(keyId, { accountId, attributes });
  return attributes;
}

function addInference(writer: SpanWriter, trace: RequestTrace, inference: Inference, withContent: boolean): void {
  const { chosen, charge } = trace;
  const answer = describeAnswer(trace, inference);
  if (chosen === undefined) addAnswer(writer, answer, undefined);
  else writer.known(answerAttributesOf(chosen.model, answer));
  if (charge !== undefined) addUsage(writer, charge).double(ATTRIBUTES.cost, toCredits(charge.cost));
  // Before the input was screened it may contain private values.
  if (withContent && trace.inputVerdict !== undefined) {
    writer.string(ATTRIBUTES.inputMessages, JSON.stringify(toMessages(inference.conversation)));
    if (trace.output !== undefined)
      writer.string(
        ATTRIBUTES.outputMessages,
        JSON.stringify([{ role: "assistant", parts: [{ type: "text", content: trace.output }] }]),
      );
  }
}

/** What many answers of a model have in common. */
interface AnswerKind {
  readonly operation: string;
  readonly requestModel: string | undefined;
  readonly strategy: string | undefined;
  readonly candidates: number | undefined;
  readonly streaming: boolean;
  readonly cache: string | undefined;
  readonly inputSafety: string | undefined;
  readonly outputSafety: string | undefined;
}

function describeAnswer({ route, cache, inputVerdict, outputVerdict }: RequestTrace, inference: Inference): AnswerKind {
  return {
    operation: OPERATION_OF_TASK[inference.task.kind],
    requestModel: inference.model,
    strategy: route?.strategy,
    candidates: route?.candidates.length,
    streaming: inference.streaming,
    cache: cache === undefined ? undefined : cache.result === "hit" ? cache.match : "miss",
    inputSafety: inputVerdict === undefined ? undefined : intendedAction(inputVerdict),
    outputSafety: outputVerdict === undefined ? undefined : intendedAction(outputVerdict),
  };
}

function addAnswer(to: Attributes, answer: AnswerKind, responseModel: string | undefined): void {
  to.string(ATTRIBUTES.operation, answer.operation)
    .string(ATTRIBUTES.requestModel, answer.requestModel)
    .string(ATTRIBUTES.responseModel, responseModel)
    .string(ATTRIBUTES.strategy, answer.strategy)
    .int(ATTRIBUTES.candidates, answer.candidates)
    .bool(ATTRIBUTES.streaming, answer.streaming ? true : undefined)
    .string(ATTRIBUTES.cache, answer.cache)
    .string(ATTRIBUTES.inputSafety, answer.inputSafety)
    .string(ATTRIBUTES.outputSafety, answer.outputSafety);
}

/** How many kinds are kept of a model's answers, and of its calls. The oldest go first. */
const KINDS_MAX = 16;

const answersOf = new WeakMap<Model, { readonly kind: AnswerKind; readonly attributes: KnownAttributes }[]>();

function answerAttributesOf(model: Model, kind: AnswerKind): KnownAttributes {
  const ofModel = answersOf.get(model) ?? [];
  for (const known of ofModel) if (isSameAnswer(known.kind, kind)) return known.attributes;
  const attributes = new KnownAttributes((to) => addAnswer(to, kind, cachedFullNameOf(model)));
  answersOf.set(model, [{ kind, attributes }, ...ofModel.slice(0, KINDS_MAX - 1)]);
  return attributes;
}

function isSameAnswer(one: AnswerKind, other: AnswerKind): boolean {
  return (
    one.requestModel === other.requestModel &&
    one.operation === other.operation &&
    one.strategy === other.strategy &&
    one.candidates === other.candidates &&
    one.streaming === other.streaming &&
    one.cache === other.cache &&
    one.inputSafety === other.inputSafety &&
    one.outputSafety === other.outputSafety
  );
}

function addUsage(to: Attributes, charge: NonNullable<RequestTrace["charge"]>): Attributes {
  return to
    .int(ATTRIBUTES.inputTokens, charge.inputTokens)
    .int(ATTRIBUTES.outputTokens, charge.outputTokens)
    .int(ATTRIBUTES.cachedTokens, charge.cachedInputTokens === 0 ? undefined : charge.cachedInputTokens)
    .int(ATTRIBUTES.cacheWriteTokens, charge.cacheWriteTokens === 0 ? undefined : charge.cacheWriteTokens);
}

function writeCall(writer: SpanWriter, trace: RequestTrace, attempt: Attempt): void {
  const { span, outcome, firstPartMs } = attempt;
  const { inference, charge, segmentCount } = trace;
  if (span === undefined) return;
  const { startMs, spanId } = span;
  const endMs = startMs + attempt.ms;
  const model = modelOf(trace, attempt);
  const operation = inference === undefined ? "chat" : OPERATION_OF_TASK[inference.task.kind];
  const { name, attributes } =
    model === undefined ? createCallKind(attempt, operation, undefined) : callKindOf(model, attempt, operation);
  writer.openCall({ spanId, name, startMs, endMs });
  writer
    .known(attributes)
    .string(ATTRIBUTES.errorType, attempt.kind)
    .double(ATTRIBUTES.timeToFirstChunk, firstPartMs === undefined ? undefined : round(firstPartMs / 1000));
  if (inference !== undefined) {
    const { parameters } = inference;
    writer
      .string(ATTRIBUTES.conversation, inference.session)
      .int(ATTRIBUTES.maxTokens, parameters.maxTokens)
      .double(ATTRIBUTES.temperature, parameters.temperature)
      .double(ATTRIBUTES.topP, parameters.topP)
      .int(ATTRIBUTES.seed, parameters.seed)
      .int(ATTRIBUTES.choices, parameters.choices);
  }
  // Of several models' answers the charge is the sum.
  if (outcome === "answered" && charge !== undefined && segmentCount <= 1) addUsage(writer, charge);
  writer.close(outcome === "failed" || outcome === "cut-off" ? attempt.reason : undefined);
}

function modelOf({ chosen, route }: RequestTrace, attempt: Attempt): Model | undefined {
  if (chosen !== undefined && cachedFullNameOf(chosen.model) === attempt.model) return chosen.model;
  return route?.candidates.find((candidate) => cachedFullNameOf(candidate.model) === attempt.model)?.model;
}

/** What many calls of a model have in common. */
interface CallKind {
  readonly operation: string;
  readonly outcome: Attempt["outcome"];
  readonly name: string;
  readonly attributes: KnownAttributes;
}

const callsOf = new WeakMap<Model, CallKind[]>();

function callKindOf(model: Model, attempt: Attempt, operation: string): CallKind {
  const ofModel = callsOf.get(model) ?? [];
  for (const known of ofModel) if (known.operation === operation && known.outcome === attempt.outcome) return known;
  const kind = createCallKind(attempt, operation, model);
  callsOf.set(model, [kind, ...ofModel.slice(0, KINDS_MAX - 1)]);
  return kind;
}

function createCallKind(attempt: Attempt, operation: string, model: Model | undefined): CallKind {
  const { outcome } = attempt;
  const attributes = new KnownAttributes((to) => {
    to.string(ATTRIBUTES.attemptOutcome, outcome).string(ATTRIBUTES.operation, operation);
    if (model !== undefined)
      to.string(ATTRIBUTES.provider, conventionalProvider(model.provider))
        .string(ATTRIBUTES.requestModel, upstreamNameOf(model))
        .string(ATTRIBUTES.serverAddress, hostOf(model));
  });
  return { operation, outcome, name: `${operation} ${attempt.model}`, attributes };
}

function hostOf(model: Model): string | undefined {
  if (model.wire === "builtin" || !URL.canParse(model.endpoint)) return undefined;
  return new URL(model.endpoint).hostname;
}

/** The conversation in the form of the conventions. */
export function toMessages({ messages }: Conversation) {
  return messages.map(({ role, content }) => ({ role, parts: content.map(toMessagePart) }));
}

/** Attachments are named by their kind alone: they may be large. */
function toMessagePart(piece: Content): Readonly<Record<string, string>> {
  switch (piece.type) {
    case "text":
      return { type: "text", content: piece.text };
    case "thinking":
      return { type: "reasoning", content: piece.text };
    case "tool-call":
      return { type: "tool_call", id: piece.id, name: piece.name, arguments: piece.arguments };
    case "tool-result":
      return { type: "tool_call_response", id: piece.id, response: piece.text };
    case "attachment":
      return { type: piece.kind };
  }
}
