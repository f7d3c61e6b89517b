import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import { BatchQueue, type SendResult } from "./batch-queue.ts";
import { type EndedRequest, writeRequestSpans } from "./request-spans.ts";
import type { SpanBatchWriter } from "./span-writer.ts";

export interface SpanExporterOptions {
  readonly writer: SpanBatchWriter;
  readonly send: (body: Buffer, signal: AbortSignal) => Promise<SendResult>;
  /** Whether texts are in the spans of accounts that store theirs. */
  readonly withContent: boolean;
  /** The longest that spans wait for others. */
  readonly delayMs: number;
  readonly batchRequestsMax: number;
  readonly batchSizeMax: number;
  readonly queueSizeMax: number;
  readonly onDropped: (reason: string) => void;
  /** Called where the spans of a request could not be written. */
  readonly onError: (error: unknown, requestId: string) => void;
}

interface SpanBatch {
  readonly body: Buffer;
  readonly requests: number;
}

/**
 * Writes the spans of requests that have ended and sends them in batches. Requests that end in one turn of the event loop are
 * written together at its end, when their answers are on their way: the code and the bytes are then in the processor's caches
 * for all but the first.
 */
export class SpanExporter {
  readonly #options: SpanExporterOptions;
  readonly #queue: BatchQueue<SpanBatch>;
  #ended: EndedRequest[] = [];
  #requestsInBatch = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SpanExporterOptions) {
    this.#options = options;
    const { send, queueSizeMax, onDropped } = options;
    this.#queue = new BatchQueue({
      send: async ([batch], signal) => (batch === undefined ? { kind: "sent" } : send(batch.body, signal)),
      sizeOf: ({ body }) => body.length,
      countOf: ({ requests }) => requests,
      delayMs: 0,
      batchItemsMax: 1,
      batchSizeMax: Number.MAX_SAFE_INTEGER,
      queueSizeMax,
      onDropped,
    });
  }

  /** How many requests' spans were sent. */
  get sent(): number {
    return this.#queue.sent;
  }

  get dropped(): number {
    return this.#queue.dropped;
  }

  add(trace: RequestTrace, status: number, method: string | undefined): void {
    // The operator asks for texts, and the account allows that they are stored.
    const withContent = this.#options.withContent && trace.caller?.keepsContent === true;
    const request = { trace, status, method, ms: trace.elapsedMs, withContent };
    if (this.#ended.push(request) === 1) setImmediate(this.#writeEnded);
  }

  readonly #writeEnded = (): void => {
    const { writer, batchRequestsMax, batchSizeMax, delayMs, onError } = this.#options;
    const ended = this.#ended;
    this.#ended = [];
    for (const request of ended) {
      const { context, requestId } = request.trace;
      if (context === undefined) continue;
      try {
        writeRequestSpans(writer, request, context);
        this.#requestsInBatch++;
      } catch (error) {
        writer.abandon();
        onError(error, requestId);
      }
      if (this.#requestsInBatch >= batchRequestsMax || writer.size >= batchSizeMax) this.#endBatch();
    }
    if (this.#requestsInBatch > 0 && this.#timer === undefined) {
      this.#timer = setTimeout(() => this.#endBatch(), delayMs);
      this.#timer.unref();
    }
  };

  #endBatch(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#requestsInBatch === 0) return;
    const requests = this.#requestsInBatch;
    this.#requestsInBatch = 0;
    this.#queue.add({ body: this.#options.writer.takeBatch(), requests });
  }

  /** Sends what waits, for at most this long, and takes nothing more. */
  async stop(graceMs: number): Promise<void> {
    this.#writeEnded();
    this.#endBatch();
    await this.#queue.stop(graceMs);
  }
}
