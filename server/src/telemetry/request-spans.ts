import type { Content, Conversation } from "@trunkline/core/conversation.ts";
import { cachedFullNameOf, type Model, upstreamNameOf } from "@trunkline/core/model.ts";
import { toCredits } from "@trunkline/core/money.ts";
import type { Attempt } from "@trunkline/core/provider-failure.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import { newSpanId, spanIdOf, type TraceContext } from "@trunkline/core/trace-context.ts";
import { intendedAction, type Verdict } from "@trunkline/core/verdict.ts";
import { AttributeList, quote, toUnixNano } from "./otlp-json.ts";
import { ATTRIBUTES, conventionalProvider, OPERATION_OF_TASK } from "./semantic-conventions.ts";
import { type SpanWriter, STAGE_FLAGS } from "./span-writer.ts";

/** Where a request came from. */
export interface RequestClient {
  readonly method: string;
  readonly ip: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

const KIND = { internal: 1, server: 2, client: 3 } as const;
const ERROR = 2;
const FLAG_PARENT_IS_REMOTE = 0x200;

interface Span {
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly flags: number;
  readonly name: string;
  readonly kind: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: AttributeList | undefined;
  /** Why it failed. */
  readonly error: string | undefined;
}

/**
 * Writes the spans of a request that has ended, as OTLP's JSON with commas between them: one for the request, one for each stage,
 * and one for each call of a provider below the stage in which it was made. Texts are in them only where `withContent`.
 */
export function writeRequestSpans(
  writer: SpanWriter,
  trace: RequestTrace,
  context: TraceContext,
  status: number,
  client: RequestClient | undefined,
  withContent: boolean,
): void {
  const baseMs = trace.receivedAt.getTime();
  writer.text(writeRequestSpan(trace, context, status, client, withContent));
  const { stages, stageMs, stageStartMs, stageEndMs } = trace;
  let callsParent = context.spanId;
  writer.beginStages(context);
  for (let at = 0; at < stages.length; at++) {
    const stage = stages[at] ?? "provider";
    const startMs = stageStartMs[at] ?? 0;
    const endMs = stageEndMs[at] ?? startMs;
    const activeMs = stageMs[at] ?? 0;
    let spanId: string | undefined;
    // Waiting for the provider and for the client take turns while an answer is streamed.
    if (endMs - startMs > activeMs + 0.001) {
      spanId = newSpanId();
      const attributes = new AttributeList().double(ATTRIBUTES.stageActive, round(activeMs));
      const span = { spanId, parentSpanId: context.spanId, flags: STAGE_FLAGS, kind: KIND.internal, error: undefined };
      writer.text(`,${writeSpan(context.traceId, baseMs, { ...span, name: stage, startMs, endMs, attributes })}`);
    } else {
      const spanNumber = writer.stage(stage, baseMs, startMs, endMs);
      if (stage === "provider") spanId = spanIdOf(spanNumber);
    }
    if (stage === "provider") callsParent = spanId ?? callsParent;
  }
  for (const attempt of trace.attempts) {
    if (attempt.span === undefined) continue;
    const { startMs, spanId } = attempt.span;
    const span = writeSpan(context.traceId, baseMs, {
      spanId,
      parentSpanId: callsParent,
      flags: STAGE_FLAGS,
      name: callName(trace, attempt),
      kind: KIND.client,
      startMs,
      endMs: startMs + attempt.ms,
      attributes: callAttributes(trace, attempt),
      error: attempt.outcome === "failed" || attempt.outcome === "cut-off" ? attempt.reason : undefined,
    });
    writer.text(`,${span}`);
  }
}

/** The span of the request as a whole. */
export function writeRequestSpan(
  trace: RequestTrace,
  context: TraceContext,
  status: number,
  client: RequestClient | undefined,
  withContent: boolean,
): string {
  return writeSpan(context.traceId, trace.receivedAt.getTime(), {
    spanId: context.spanId,
    parentSpanId: context.parentSpanId,
    flags: STAGE_FLAGS | (context.parentSpanId === undefined ? 0 : FLAG_PARENT_IS_REMOTE),
    name: `${client?.method ?? "POST"} ${trace.path}`,
    kind: KIND.server,
    startMs: 0,
    endMs: trace.elapsedMs,
    attributes: requestAttributes(trace, status, client, withContent),
    error: status >= 500 ? (trace.faultType ?? String(status)) : undefined,
  });
}

function writeSpan(traceId: string, baseMs: number, span: Span): string {
  const parent = span.parentSpanId === undefined ? "" : `"parentSpanId":"${span.parentSpanId}",`;
  const attributes = span.attributes === undefined ? "" : `,"attributes":${span.attributes.toJson()}`;
  const status = span.error === undefined ? "" : `,"status":{"code":${ERROR},"message":${JSON.stringify(span.error)}}`;
  return `{"traceId":"${traceId}","spanId":"${span.spanId}",${parent}"flags":${span.flags},"name":${quote(span.name)},"kind":${span.kind},"startTimeUnixNano":"${toUnixNano(baseMs, span.startMs)}","endTimeUnixNano":"${toUnixNano(baseMs, span.endMs)}"${attributes}${status}}`;
}

function requestAttributes(
  trace: RequestTrace,
  status: number,
  client: RequestClient | undefined,
  withContent: boolean,
): AttributeList {
  const { caller, inference, route, chosen, charge, cache } = trace;
  const attributes = new AttributeList()
    .string(ATTRIBUTES.httpMethod, client?.method)
    .string(ATTRIBUTES.httpRoute, trace.path)
    .int(ATTRIBUTES.httpStatus, status)
    .plain(ATTRIBUTES.errorType, trace.faultType)
    .plain(ATTRIBUTES.requestId, trace.requestId)
    .plain(ATTRIBUTES.account, caller?.accountId)
    .plain(ATTRIBUTES.key, caller?.keyId);
  if (inference === undefined) return attributes;
  attributes
    .plain(ATTRIBUTES.operation, OPERATION_OF_TASK[inference.task.kind])
    .string(ATTRIBUTES.requestModel, inference.model)
    .string(ATTRIBUTES.responseModel, chosen === undefined ? undefined : cachedFullNameOf(chosen.model))
    .plain(ATTRIBUTES.strategy, route?.strategy)
    .int(ATTRIBUTES.candidates, route?.candidates.length)
    .bool(ATTRIBUTES.streaming, inference.streaming ? true : undefined)
    .string(ATTRIBUTES.cache, cache === undefined ? undefined : cache.result === "hit" ? cache.match : "miss")
    .plain(ATTRIBUTES.inputSafety, actionOf(trace.inputVerdict))
    .plain(ATTRIBUTES.outputSafety, actionOf(trace.outputVerdict));
  if (charge !== undefined) addUsage(attributes, charge).double(ATTRIBUTES.cost, toCredits(charge.cost));
  // Before the input was screened it may contain private values.
  if (withContent && trace.inputVerdict !== undefined) {
    attributes.string(ATTRIBUTES.inputMessages, JSON.stringify(toMessages(inference.conversation)));
    if (trace.output !== undefined)
      attributes.string(
        ATTRIBUTES.outputMessages,
        JSON.stringify([{ role: "assistant", parts: [{ type: "text", content: trace.output }] }]),
      );
  }
  return attributes;
}

function addUsage(attributes: AttributeList, charge: NonNullable<RequestTrace["charge"]>): AttributeList {
  return attributes
    .int(ATTRIBUTES.inputTokens, charge.inputTokens)
    .int(ATTRIBUTES.outputTokens, charge.outputTokens)
    .int(ATTRIBUTES.cachedTokens, charge.cachedInputTokens === 0 ? undefined : charge.cachedInputTokens)
    .int(ATTRIBUTES.cacheWriteTokens, charge.cacheWriteTokens === 0 ? undefined : charge.cacheWriteTokens);
}

function callName({ inference }: RequestTrace, { model }: Attempt): string {
  return `${inference === undefined ? "chat" : OPERATION_OF_TASK[inference.task.kind]} ${model}`;
}

function callAttributes(trace: RequestTrace, attempt: Attempt): AttributeList {
  const { inference, route, charge, segmentCount } = trace;
  const model = route?.candidates.find((candidate) => cachedFullNameOf(candidate.model) === attempt.model)?.model;
  const attributes = new AttributeList()
    .plain(ATTRIBUTES.attemptOutcome, attempt.outcome)
    .string(ATTRIBUTES.errorType, attempt.kind)
    .double(
      ATTRIBUTES.timeToFirstChunk,
      attempt.firstPartMs === undefined ? undefined : round(attempt.firstPartMs / 1000),
    );
  if (model !== undefined)
    attributes
      .string(ATTRIBUTES.provider, conventionalProvider(model.provider))
      .string(ATTRIBUTES.requestModel, upstreamNameOf(model))
      .string(ATTRIBUTES.serverAddress, hostOf(model));
  if (inference !== undefined) {
    const { parameters } = inference;
    attributes
      .plain(ATTRIBUTES.operation, OPERATION_OF_TASK[inference.task.kind])
      .string(ATTRIBUTES.conversation, inference.session)
      .int(ATTRIBUTES.maxTokens, parameters.maxTokens)
      .double(ATTRIBUTES.temperature, parameters.temperature)
      .double(ATTRIBUTES.topP, parameters.topP)
      .int(ATTRIBUTES.seed, parameters.seed)
      .int(ATTRIBUTES.choices, parameters.choices);
  }
  // Of several models' answers the charge is the sum.
  if (attempt.outcome === "answered" && charge !== undefined && segmentCount <= 1) addUsage(attributes, charge);
  return attributes;
}

const hosts = new WeakMap<Model, string | undefined>();

function hostOf(model: Model): string | undefined {
  if (model.wire === "builtin") return undefined;
  if (!hosts.has(model)) hosts.set(model, URL.canParse(model.endpoint) ? new URL(model.endpoint).hostname : undefined);
  return hosts.get(model);
}

function actionOf(verdict: Verdict | undefined): string | undefined {
  return verdict === undefined ? undefined : intendedAction(verdict);
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

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
