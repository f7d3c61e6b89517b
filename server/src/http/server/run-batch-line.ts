import { Cancellation, type CancelSignal } from "@trunkline/core/cancellation.ts";
import { Fault, type FaultType } from "@trunkline/core/fault.ts";
import { newId } from "@trunkline/core/id.ts";
import { RequestTrace } from "@trunkline/core/request-trace.ts";
import type { Services } from "../../app/services.ts";
import type { LineOutcome, RunLine } from "../../batches/batch-worker.ts";
import type { Batch, BatchLine } from "../../batches/batches.ts";
import { serve } from "../../pipeline/serve.ts";
import { type InferenceEndpoint, Reply, type RequestContext } from "../endpoints/endpoint.ts";
import { createBatchTargets } from "../endpoints/inference/batches.ts";
import { trunklineDialect } from "../formats/dialect.ts";
import { withTags } from "../requests/read-tags.ts";
import { DIRECT_ENDPOINTS } from "./direct-endpoints.ts";

/** Faults that pass by themselves, with the delay to use when the fault names none. Any other fault is the line's result. */
const RETRY_DELAYS_MS: Partial<Record<FaultType, number>> = {
  insufficient_balance: 4_000,
  budget_exceeded: 15_000,
  rate_limited: 1_000,
  overloaded: 1_000,
  unavailable: 2_000,
  idempotency_in_progress: 1_000,
};

/**
 * Serves a line of a batch through the same pipeline as every request, as the key that created the batch. Each line has
 * its own idempotency key, so that it is answered and charged once even when an instance dies meanwhile.
 */
export function createBatchLineRunner(services: Services): RunLine {
  const targets = createBatchTargets(DIRECT_ENDPOINTS);
  return async (batch, line, stop) => {
    const endpoint = targets.find(batch.endpoint);
    const cancellation = new Cancellation();
    const abortLine = () => cancellation.abort(stop.reason);
    stop.addEventListener("abort", abortLine);
    services.lifecycle.inFlight.add(cancellation);
    const requestTrace = new RequestTrace(
      newId(services.clock.now()),
      endpoint?.path ?? batch.endpoint,
      services.clock,
    );
    requestTrace.context = services.tracer?.start(requestTrace.requestId);
    try {
      if (endpoint === undefined) throw new Fault("not_found", `There is nothing at POST ${batch.endpoint} any more.`);
      const body = await answerLine(services, endpoint, batch, line, requestTrace, cancellation);
      services.observeRequest(requestTrace, 200);
      return { kind: "done", failed: false, result: resultLine(line, requestTrace, 200, body) };
    } catch (error) {
      return faultOutcome(services, error, endpoint, line, requestTrace, cancellation);
    } finally {
      services.lifecycle.inFlight.delete(cancellation);
      stop.removeEventListener("abort", abortLine);
    }
  };
}

async function answerLine(
  services: Services,
  endpoint: InferenceEndpoint,
  batch: Batch,
  { line, body }: BatchLine,
  requestTrace: RequestTrace,
  signal: CancelSignal,
): Promise<unknown> {
  const requestBody: unknown = JSON.parse(body);
  let context: RequestContext | undefined;
  const { answer: collected, receipt } = await serve(services, {
    trace: requestTrace,
    authorization: undefined,
    session: undefined,
    keyId: batch.keyId,
    address: batch.address,
    idempotencyKey: `batch ${batch.id} ${line}`,
    signal,
    async readInference() {
      const { caller } = requestTrace;
      const prepared =
        caller === undefined || endpoint.needsPreparation?.(requestBody) === false
          ? undefined
          : await endpoint.prepare?.({ services, caller, trace: requestTrace, body: requestBody, countBytes });
      context = prepared?.context;
      const read = endpoint.read(prepared?.body ?? requestBody, { params: {}, query: {}, headers: {} }, context);
      const inference = withTags(read, requestBody, {});
      // A result line holds the whole answer, so streaming would gain nothing.
      return { inference: { ...inference, streaming: false, batch: { id: batch.id, line } }, body };
    },
  });
  const { parts, text, media } = collected;
  const answer = await endpoint.whole?.({ parts, text, media, receipt, trace: requestTrace, requestBody, context });
  if (!(answer instanceof Reply)) return answer;
  if (answer.body instanceof Uint8Array)
    return { content_type: answer.contentType, base64: Buffer.from(answer.body).toString("base64") };
  const isJson = typeof answer.body === "string" && answer.contentType.startsWith("application/json");
  return isJson ? JSON.parse(answer.body) : answer.body;
}

/** The number of lines that run at once bounds what they hold. */
function countBytes(): void {}

function faultOutcome(
  services: Services,
  error: unknown,
  endpoint: InferenceEndpoint | undefined,
  line: BatchLine,
  requestTrace: RequestTrace,
  signal: CancelSignal,
): LineOutcome {
  if (signal.aborted) return { kind: "later", afterMs: 0 };
  const fault = asFault(services, error, requestTrace.requestId);
  requestTrace.faultType = fault.type;
  services.observeRequest(requestTrace, fault.status);
  if (fault.type === "invalid_api_key") return { kind: "key-gone" };
  const waitMs = RETRY_DELAYS_MS[fault.type];
  if (waitMs !== undefined) return { kind: "later", afterMs: (fault.details.retryAfterSeconds ?? 0) * 1000 || waitMs };
  const dialect = endpoint?.dialect ?? trunklineDialect;
  const result = resultLine(line, requestTrace, fault.status, dialect.errorBody(fault, requestTrace.requestId));
  return { kind: "done", failed: true, result };
}

function resultLine({ customId }: BatchLine, requestTrace: RequestTrace, status: number, body: unknown): string {
  // When an earlier run of the line was charged and only its result was lost, the result names that run.
  const requestId = requestTrace.replayOf?.requestId ?? requestTrace.requestId;
  return JSON.stringify({
    id: `batch_req_${requestId}`,
    custom_id: customId,
    response: { status_code: status, request_id: requestId, body },
    error: null,
  });
}

function asFault(services: Services, error: unknown, requestId: string): Fault {
  if (error instanceof Fault) return error;
  services.log.error({ requestId, error }, "Unexpected error in a batch line.");
  return new Fault("internal", "Something went wrong on our side. It is logged under this request's id.");
}
