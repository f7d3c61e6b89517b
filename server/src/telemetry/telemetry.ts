import type { Clock } from "@trunkline/core/clock.ts";
import type { Random } from "@trunkline/core/random.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import type { Dialer } from "@trunkline/providers/dialer/dialer.ts";
import { AccessLog } from "./access-log.ts";
import { BatchQueue } from "./batch-queue.ts";
import { JsonBatchWriter } from "./json-span-writer.ts";
import { createEnvelope } from "./otlp-json.ts";
import { toOtlpLogRecord } from "./otlp-logs.ts";
import { type MetricSample, toOtlpMetrics } from "./otlp-metrics.ts";
import { createProtoEnvelope, LOG_RECORD, METRIC, toProtoItem } from "./otlp-protobuf.ts";
import { createOtlpSender, jsonForm, type OtlpForm, type OtlpSignal, postBatch } from "./otlp-sender.ts";
import { ProtoSpanWriter } from "./proto-span-writer.ts";
import type { RequestClient } from "./request-spans.ts";
import { RESOURCE_ATTRIBUTES } from "./semantic-conventions.ts";
import { SpanExporter } from "./span-exporter.ts";
import type { TelemetrySettings, TracesSettings } from "./telemetry-settings.ts";
import { Tracer } from "./tracer.ts";

export interface TelemetryDependencies {
  readonly settings: TelemetrySettings;
  readonly instanceId: string;
  readonly dialer: Dialer;
  readonly clock: Clock;
  readonly random: Random;
  readonly readMetrics: () => Promise<readonly MetricSample[]>;
  /** Calls back with the lines of the log from now on. */
  readonly onLogLines: (listener: (lines: string) => void) => void;
  /** Writes lines into the log as they are. */
  readonly writeLog: (lines: string) => void;
  readonly warn: (words: string, error?: unknown, requestId?: string) => void;
}

const MEGABYTE = 1024 * 1024;
const QUEUE_SIZE_MAX = 16 * MEGABYTE;
const BATCH_SIZE_MAX = 2 * MEGABYTE;
/** A request has about a dozen spans. */
const BATCH_REQUESTS_MAX = 256;
const DELAY_MS = 2_000;
const STOP_GRACE_MS = 3_000;

type Signal = "spans" | "metrics" | "logRecords";

/** Items that wait to be sent, in the form of their target. */
interface ItemQueue {
  readonly queue: BatchQueue<Buffer>;
  /** An item as OTLP's JSON has it. */
  add(item: object): void;
}

/** Sends traces, metrics and logs by OTLP, and writes the access log, as far as each is asked for. */
export class Telemetry {
  /** undefined: no traces are made. */
  readonly tracer: Tracer | undefined;
  readonly #dependencies: TelemetryDependencies;
  readonly #accessLog: AccessLog | undefined;
  readonly #spans: SpanExporter | undefined;
  readonly #metrics: ItemQueue | undefined;
  readonly #logs: ItemQueue | undefined;
  readonly #startedMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(dependencies: TelemetryDependencies) {
    this.#dependencies = dependencies;
    const { settings, random, clock, writeLog, onLogLines } = dependencies;
    const { traces, metrics, logs, accessLogShare } = settings;
    this.#startedMs = clock.now();
    this.tracer = traces && new Tracer(traces.sampler);
    this.#accessLog = accessLogShare === undefined ? undefined : new AccessLog(accessLogShare, random, writeLog);
    this.#spans = traces && this.#openSpans(traces);
    this.#metrics = metrics && this.#openQueue("metrics", metrics, Number.MAX_SAFE_INTEGER);
    this.#logs = logs && this.#openQueue("logRecords", logs, 512);
    if (this.#logs !== undefined)
      onLogLines((lines) => {
        for (const line of lines.split("\n")) {
          const record = line === "" ? undefined : toOtlpLogRecord(line);
          if (record !== undefined) this.#logs?.add(record);
        }
      });
    if (metrics !== undefined) {
      const warn = () => dependencies.warn("The metrics could not be sent.");
      this.#timer = setInterval(() => void this.#exportMetrics().catch(warn), metrics.intervalMs);
      this.#timer.unref();
    }
  }

  #openSpans(traces: TracesSettings): SpanExporter {
    const { dialer, warn } = this.#dependencies;
    const resource = this.#resource();
    const writer = traces.asJson ? new JsonBatchWriter(resource) : new ProtoSpanWriter(resource);
    return new SpanExporter({
      writer,
      send: (body, signal) => postBatch(dialer, traces, body, writer.contentType, signal),
      withContent: traces.withContent,
      delayMs: DELAY_MS,
      batchRequestsMax: BATCH_REQUESTS_MAX,
      batchSizeMax: BATCH_SIZE_MAX,
      queueSizeMax: QUEUE_SIZE_MAX,
      onDropped: (reason) => warn(`Telemetry (${NAMES.spans}) was dropped: ${reason}.`),
      onError: (error, requestId) => warn("The spans of a request could not be written.", error, requestId),
    });
  }

  #resource(): Readonly<Record<string, string>> {
    const { settings, instanceId } = this.#dependencies;
    return { [RESOURCE_ATTRIBUTES.serviceInstance]: instanceId, ...settings.resource };
  }

  #openQueue(signal: "metrics" | "logRecords", target: OtlpSignal, batchItemsMax: number): ItemQueue {
    const { dialer, warn } = this.#dependencies;
    const form = target.asJson ? jsonForm(createEnvelope(signal, this.#resource())) : this.#protoForm(signal);
    const queue = new BatchQueue<Buffer>({
      send: createOtlpSender(dialer, target, form),
      sizeOf: (item) => item.length,
      delayMs: DELAY_MS,
      batchItemsMax,
      batchSizeMax: BATCH_SIZE_MAX,
      queueSizeMax: QUEUE_SIZE_MAX,
      onDropped: (reason) => warn(`Telemetry (${NAMES[signal]}) was dropped: ${reason}.`),
    });
    return { queue, add: (item) => queue.add(form.write(item)) };
  }

  #protoForm(signal: "metrics" | "logRecords"): OtlpForm {
    const message = signal === "metrics" ? METRIC : LOG_RECORD;
    return {
      contentType: "application/x-protobuf",
      write: (item) => toProtoItem(message, item),
      envelop: createProtoEnvelope(this.#resource()),
    };
  }

  /** Called when a request has ended and its answer is on its way. */
  observe(trace: RequestTrace, status: number, client: RequestClient | undefined): void {
    this.#accessLog?.observe(trace, status, client);
    if (trace.context?.isSampled === true) this.#spans?.add(trace, status, client?.method);
  }

  /** Sends the metrics as they are now. */
  async #exportMetrics(): Promise<void> {
    const { clock, readMetrics } = this.#dependencies;
    for (const metric of toOtlpMetrics(await readMetrics(), this.#startedMs, clock.now())) this.#metrics?.add(metric);
    await this.#metrics?.queue.flush();
  }

  /** How many items each signal has sent and dropped. */
  counts(): { readonly signal: string; readonly sent: number; readonly dropped: number }[] {
    return [
      { signal: NAMES.spans, queue: this.#spans },
      { signal: NAMES.metrics, queue: this.#metrics?.queue },
      { signal: NAMES.logRecords, queue: this.#logs?.queue },
    ].flatMap(({ signal, queue }) =>
      queue === undefined ? [] : [{ signal, sent: queue.sent, dropped: queue.dropped }],
    );
  }

  /** Sends what is left, for a short time. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#accessLog?.flush();
    const { clock, readMetrics } = this.#dependencies;
    if (this.#metrics !== undefined)
      for (const metric of toOtlpMetrics(await readMetrics(), this.#startedMs, clock.now())) this.#metrics.add(metric);
    const queues = [this.#spans, this.#metrics?.queue, this.#logs?.queue].filter((queue) => queue !== undefined);
    await Promise.all(queues.map((queue) => queue.stop(STOP_GRACE_MS)));
  }
}

const NAMES: Readonly<Record<Signal, string>> = { spans: "traces", metrics: "metrics", logRecords: "logs" };
