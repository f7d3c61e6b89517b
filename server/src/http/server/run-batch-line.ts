import { Fault, type FaultType } from "@trunkline/core/fault.ts";
import { newId } from "@trunkline/core/id.ts";
import { RequestTrace } from "@trunkline/core/request-trace.ts";
import type { Services } from "../../app/services.ts";
import type { LineOutcome, RunLine } from "../../batches/batch-worker.ts";
import type { Batch, BatchLine } from "../../batches/batches.ts";
import { serve } from "../../pipeline/serve.ts";
import { type InferenceEndpoint, Reply } from "../endpoints/endpoint.ts";
import { createBatchTargets } from "../endpoints/inference/batches.ts";
import { trunklineDialect } from "../formats/dialect.ts";
import { collectAnswer } from "../responses/answer.ts";
import { ALL_ENDPOINTS } from "./endpoint-registry.ts";

/** What passes by itself, and how long it is worth waiting where nobody says. Everything else is the line's result. */
const RETRY_DELAYS_MS: Partial<Record<FaultType, number>> = {
  insufficient_balance: 4_000,
  budget_exceeded: 15_000,
  rate_limited: 1_000,
  overloaded: 1_000,
  unavailable: 2_000,
  idempotency_in_progress: 1_000,
};

/**
 * Sends a line of a batch down the very line that every request goes: in the name of the key that made the batch, under
 * an idempotency key of its own, so that it is answered and charged once, whoever dies meanwhile.
 */
export function createBatchLineRunner(services: Services): RunLine {
  const targets = createBatchTargets(ALL_ENDPOINTS);
  return async (batch, line, stop) => {
    const endpoint = targets.find(batch.endpoint);
    const controller = new AbortController();
    const breakOff = () => controller.abort(stop.reason);
    stop.addEventListener("abort", breakOff);
    services.inFlight.add(controller);
    const requestTrace = new RequestTrace(
      newId(services.clock.now()),
      endpoint?.path ?? batch.endpoint,
      services.clock,
    );
    try {
      if (endpoint === undefined) throw new Fault("not_found", `There is nothing at POST ${batch.endpoint} any more.`);
      const body = await answerLine(services, endpoint, batch, line, requestTrace, controller.signal);
      services.metrics.observe(requestTrace, 200);
      return { kind: "done", failed: false, result: resultLine(line, requestTrace, 200, body) };
    } catch (error) {
      return faultOutcome(services, error, endpoint, line, requestTrace, controller.signal);
    } finally {
      services.inFlight.delete(controller);
      stop.removeEventListener("abort", breakOff);
    }
  };
}

async function answerLine(
  services: Services,
  endpoint: InferenceEndpoint,
  batch: Batch,
  { line, body }: BatchLine,
  requestTrace: RequestTrace,
  signal: AbortSignal,
): Promise<unknown> {
  const asked: unknown = JSON.parse(body);
  const parts = serve(services, {
    trace: requestTrace,
    authorization: undefined,
    session: undefined,
    keyId: batch.keyId,
    address: batch.address,
    idempotencyKey: `batch ${batch.id} ${line}`,
    signal,
    async readInference() {
      const inference = endpoint.read(asked, { params: {}, query: {}, headers: {} });
      // Nobody reads along.
      return { inference: { ...inference, streaming: false, batch: { id: batch.id, line } }, body };
    },
  });
  const answer = endpoint.whole?.(await collectAnswer(parts, requestTrace, asked));
  return answer instanceof Reply ? jsonBodyOf(answer) : answer;
}

/** Bytes have no place in JSON but as text. */
function jsonBodyOf({ body, contentType }: Reply): unknown {
  return body instanceof Uint8Array
    ? { content_type: contentType, base64: Buffer.from(body).toString("base64") }
    : body;
}

function faultOutcome(
  services: Services,
  error: unknown,
  endpoint: InferenceEndpoint | undefined,
  line: BatchLine,
  requestTrace: RequestTrace,
  signal: AbortSignal,
): LineOutcome {
  if (signal.aborted) return { kind: "later", afterMs: 0 };
  const fault = asFault(services, error, requestTrace.requestId);
  services.metrics.observe(requestTrace, fault.status);
  if (fault.type === "invalid_api_key") return { kind: "nobody" };
  const waitMs = RETRY_DELAYS_MS[fault.type];
  if (waitMs !== undefined) return { kind: "later", afterMs: (fault.details.retryAfterSeconds ?? 0) * 1000 || waitMs };
  const dialect = endpoint?.dialect ?? trunklineDialect;
  const result = resultLine(line, requestTrace, fault.status, dialect.errorBody(fault, requestTrace.requestId));
  return { kind: "done", failed: true, result };
}

function resultLine({ customId }: BatchLine, requestTrace: RequestTrace, status: number, body: unknown): string {
  // Where the line was run before, and only its result was lost, it is told of that run.
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
  services.log.error({ requestId, error }, "A line of a batch met a bug.");
  return new Fault("internal", "Something went wrong on our side. It is logged under this request's id.");
}
