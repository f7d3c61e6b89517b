import type { Content, Conversation } from "@trunkline/core/conversation.ts";
import { cachedFullNameOf, type Model, upstreamNameOf } from "@trunkline/core/model.ts";
import { toCredits } from "@trunkline/core/money.ts";
import type { Attempt } from "@trunkline/core/provider-failure.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import { newSpanId, spanIdOf, type TraceContext } from "@trunkline/core/trace-context.ts";
import { intendedAction, type Verdict } from "@trunkline/core/verdict.ts";
import { ATTRIBUTES, conventionalProvider, OPERATION_OF_TASK } from "./semantic-conventions.ts";
import { type Attributes, FLAG_PARENT_IS_REMOTE, LOCAL_FLAGS, SPAN_KIND, type SpanWriter } from "./span-writer.ts";

/** Where a request came from. */
export interface RequestClient {
  readonly method: string;
  readonly ip: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/**
 * Writes the spans of a request that has ended: one for the request, one for each stage, and one for each call of a provider
 * below the stage in which it was made. Texts are in them only where `withContent`.
 */
export function writeRequestSpans(
  writer: SpanWriter,
  trace: RequestTrace,
  context: TraceContext,
  status: number,
  client: RequestClient | undefined,
  withContent: boolean,
): void {
  writeRequestSpan(writer, trace, context, status, client, withContent);
  const { stages, stageMs, stageStartMs, stageEndMs } = trace;
  let callsParent = context.spanId;
  for (let at = 0; at < stages.length; at++) {
    const stage = stages[at] ?? "provider";
    const startMs = stageStartMs[at] ?? 0;
    const endMs = stageEndMs[at] ?? startMs;
    const activeMs = stageMs[at] ?? 0;
    let spanId: string | undefined;
    // Waiting for the provider and for the client take turns while an answer is streamed.
    if (endMs - startMs > activeMs + 0.001) {
      spanId = newSpanId();
      const parentSpanId = context.spanId;
      const kind = SPAN_KIND.internal;
      writer.open({ spanId, parentSpanId, flags: LOCAL_FLAGS, name: stage, kind, startMs, endMs });
      writer.double(ATTRIBUTES.stageActive, round(activeMs));
      writer.close(undefined);
    } else {
      const spanNumber = writer.stage(stage, startMs, endMs);
      if (stage === "provider") spanId = spanIdOf(spanNumber);
    }
    if (stage === "provider") callsParent = spanId ?? callsParent;
  }
  for (const attempt of trace.attempts) {
    if (attempt.span === undefined) continue;
    const { startMs, spanId } = attempt.span;
    writer.open({
      spanId,
      parentSpanId: callsParent,
      flags: LOCAL_FLAGS,
      name: callName(trace, attempt),
      kind: SPAN_KIND.client,
      startMs,
      endMs: startMs + attempt.ms,
    });
    addCallAttributes(writer, trace, attempt);
    writer.close(attempt.outcome === "failed" || attempt.outcome === "cut-off" ? attempt.reason : undefined);
  }
}

/** Writes the span of the request as a whole. */
export function writeRequestSpan(
  writer: SpanWriter,
  trace: RequestTrace,
  context: TraceContext,
  status: number,
  client: RequestClient | undefined,
  withContent: boolean,
): void {
  writer.begin(context, trace.receivedAt.getTime());
  writer.open({
    spanId: context.spanId,
    parentSpanId: context.parentSpanId,
    flags: LOCAL_FLAGS | (context.parentSpanId === undefined ? 0 : FLAG_PARENT_IS_REMOTE),
    name: `${client?.method ?? "POST"} ${trace.path}`,
    kind: SPAN_KIND.server,
    startMs: 0,
    endMs: trace.elapsedMs,
  });
  addRequestAttributes(writer, trace, status, client, withContent);
  writer.close(status >= 500 ? (trace.faultType ?? String(status)) : undefined);
}

function addRequestAttributes(
  attributes: Attributes,
  trace: RequestTrace,
  status: number,
  client: RequestClient | undefined,
  withContent: boolean,
): void {
  const { caller, inference, route, chosen, charge, cache } = trace;
  attributes
    .string(ATTRIBUTES.httpMethod, client?.method)
    .string(ATTRIBUTES.httpRoute, trace.path)
    .int(ATTRIBUTES.httpStatus, status)
    .string(ATTRIBUTES.errorType, trace.faultType)
    .plain(ATTRIBUTES.requestId, trace.requestId)
    .string(ATTRIBUTES.account, caller?.accountId)
    .string(ATTRIBUTES.key, caller?.keyId);
  if (inference === undefined) return;
  attributes
    .string(ATTRIBUTES.operation, OPERATION_OF_TASK[inference.task.kind])
    .string(ATTRIBUTES.requestModel, inference.model)
    .string(ATTRIBUTES.responseModel, chosen === undefined ? undefined : cachedFullNameOf(chosen.model))
    .string(ATTRIBUTES.strategy, route?.strategy)
    .int(ATTRIBUTES.candidates, route?.candidates.length)
    .bool(ATTRIBUTES.streaming, inference.streaming ? true : undefined)
    .string(ATTRIBUTES.cache, cache === undefined ? undefined : cache.result === "hit" ? cache.match : "miss")
    .string(ATTRIBUTES.inputSafety, actionOf(trace.inputVerdict))
    .string(ATTRIBUTES.outputSafety, actionOf(trace.outputVerdict));
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
}

function addUsage(attributes: Attributes, charge: NonNullable<RequestTrace["charge"]>): Attributes {
  return attributes
    .int(ATTRIBUTES.inputTokens, charge.inputTokens)
    .int(ATTRIBUTES.outputTokens, charge.outputTokens)
    .int(ATTRIBUTES.cachedTokens, charge.cachedInputTokens === 0 ? undefined : charge.cachedInputTokens)
    .int(ATTRIBUTES.cacheWriteTokens, charge.cacheWriteTokens === 0 ? undefined : charge.cacheWriteTokens);
}

function callName({ inference }: RequestTrace, { model }: Attempt): string {
  return `${inference === undefined ? "chat" : OPERATION_OF_TASK[inference.task.kind]} ${model}`;
}

function addCallAttributes(attributes: Attributes, trace: RequestTrace, attempt: Attempt): void {
  const { inference, route, charge, segmentCount } = trace;
  const model = route?.candidates.find((candidate) => cachedFullNameOf(candidate.model) === attempt.model)?.model;
  attributes
    .string(ATTRIBUTES.attemptOutcome, attempt.outcome)
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
      .string(ATTRIBUTES.operation, OPERATION_OF_TASK[inference.task.kind])
      .string(ATTRIBUTES.conversation, inference.session)
      .int(ATTRIBUTES.maxTokens, parameters.maxTokens)
      .double(ATTRIBUTES.temperature, parameters.temperature)
      .double(ATTRIBUTES.topP, parameters.topP)
      .int(ATTRIBUTES.seed, parameters.seed)
      .int(ATTRIBUTES.choices, parameters.choices);
  }
  // Of several models' answers the charge is the sum.
  if (attempt.outcome === "answered" && charge !== undefined && segmentCount <= 1) addUsage(attributes, charge);
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
