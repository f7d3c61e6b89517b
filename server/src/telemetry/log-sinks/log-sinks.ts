import type { BackgroundWork } from "@trunkline/core/background-work.ts";
import type { Caller } from "@trunkline/core/caller.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { isId, newId } from "@trunkline/core/id.ts";
import { LruMap } from "@trunkline/core/lru-map.ts";
import { refuseExpiringKey } from "@trunkline/core/permissions.ts";
import type { Random } from "@trunkline/core/random.ts";
import { RequestTrace } from "@trunkline/core/request-trace.ts";
import { Secret } from "@trunkline/core/secret.ts";
import type { Dialer } from "@trunkline/providers/dialer/dialer.ts";
import { createWebhookSecret } from "../../notify/webhooks/deliver.ts";
import { BatchQueue } from "../batch-queue.ts";
import { JsonSpanWriter } from "../json-span-writer.ts";
import { writeRequestSpan } from "../request-spans.ts";
import { Tracer } from "../tracer.ts";
import { writeLogRecord } from "./log-record.ts";
import type { LogSink, LogSinkChange, LogSinkSettings, LogSinkStore, OpenLogSink } from "./log-sink.ts";
import { sendToSink } from "./send-to-sink.ts";

interface LogSinksDependencies {
  readonly store: LogSinkStore;
  readonly dialer: Dialer;
  readonly clock: Clock;
  readonly random: Random;
  readonly backgroundWork: Pick<BackgroundWork, "track">;
  /** Why a URL can't be called, as a sentence; undefined where it can. */
  readonly checkEndpoint: (url: string, mayDialPrivate: boolean) => Promise<string | undefined>;
  readonly onError: (error: unknown) => void;
  /** Times and sizes that tests shorten. */
  readonly delayMs?: number;
}

const SINKS_MAX = 3;
const ACCOUNTS_MAX = 10_000;
const MEGABYTE = 1024 * 1024;
/** What may wait for one sink, and for all of them together. */
const QUEUE_SIZE_MAX = 8 * MEGABYTE;
const ALL_QUEUES_SIZE_MAX = 64 * MEGABYTE;
/** Langfuse takes batches up to 3.5 MB. */
const BATCH_SIZE_MAX = 2 * MEGABYTE;
const BATCH_RECORDS_MAX = 500;
const DELAY_MS = 5_000;
const STOP_GRACE_MS = 3_000;
/** How often a failure of one sink is noted down. */
const ERROR_INTERVAL_MS = 60_000;

interface SinkQueue {
  /** As it is set now: what waits is sent there. */
  sink: OpenLogSink;
  readonly queue: BatchQueue<string>;
}

interface EndedRequest {
  readonly trace: RequestTrace;
  readonly status: number;
}

/** The credential that a kind needs, as the account gives it. */
export interface LogSinkCredential {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly secretAccessKey?: string | undefined;
}

/** Sends the requests of accounts to the log sinks that they set, beside the requests and in batches. */
export class LogSinks {
  readonly #dependencies: LogSinksDependencies;
  readonly #tracer = new Tracer({ kind: "always_on", ratio: 1 });
  readonly #spanWriter = new JsonSpanWriter();
  readonly #sinksOf = new LruMap<string, readonly OpenLogSink[]>(ACCOUNTS_MAX);
  /** The requests that wait until the sinks of their account are looked up, in the order in which they ended. */
  readonly #waitingOf = new Map<string, EndedRequest[]>();
  readonly #queues = new Map<string, SinkQueue>();
  readonly #shared = { size: 0, max: ALL_QUEUES_SIZE_MAX };
  readonly #errorNotedAt = new LruMap<string, number>(ACCOUNTS_MAX);
  #generation = 0;
  #sent = 0;
  #dropped = 0;

  constructor(dependencies: LogSinksDependencies) {
    this.#dependencies = dependencies;
  }

  async create(
    caller: Caller,
    settings: LogSinkSettings,
    credential: LogSinkCredential,
  ): Promise<{ sink: LogSink; secret: string | undefined }> {
    refuseExpiringKey(caller);
    const { store, clock } = this.#dependencies;
    const mayDialPrivate = await this.#checkUrl(caller, settings.url);
    const own = settings.kind === "http" ? createWebhookSecret() : undefined;
    const secret = own ?? secretOf(settings.kind, credential);
    if (secret === undefined)
      throw new Fault("invalid_request", "A sink of the kind `s3` needs `secret_access_key`.", {
        param: "secret_access_key",
      });
    const draft = { ...settings, id: newId(clock.now()), accountId: caller.accountId, mayDialPrivate };
    const sink = await store.create(draft, secret, SINKS_MAX);
    if (sink === undefined)
      throw new Fault("conflict", `An account has at most ${SINKS_MAX} log sinks. Delete one first.`);
    this.invalidate();
    return { sink, secret: own?.reveal() };
  }

  list(caller: Caller, limit: number, cursor: string | undefined): Promise<LogSink[]> {
    return this.#dependencies.store.list(caller.accountId, limit, cursor);
  }

  async find(caller: Caller, id: string): Promise<LogSink> {
    const sink = isId(id) ? await this.#dependencies.store.find(caller.accountId, id) : undefined;
    if (sink === undefined) throw noSuchSink();
    return sink;
  }

  /** A URL of another origin needs its credential with it: another receiver must not get the old one. */
  async change(
    caller: Caller,
    id: string,
    change: Omit<LogSinkChange, "mayDialPrivate" | "secret">,
    credential: LogSinkCredential,
  ): Promise<{ sink: LogSink; secret: string | undefined }> {
    if (change.url !== undefined || change.enabled === true) refuseExpiringKey(caller);
    const { kind, url } = await this.find(caller, id);
    const dialing = change.url === undefined ? {} : { mayDialPrivate: await this.#checkUrl(caller, change.url) };
    const isMoved = change.url !== undefined && new URL(change.url).origin !== new URL(url).origin;
    const own = isMoved && kind === "http" ? createWebhookSecret() : undefined;
    const hasCredential = credential.headers !== undefined || credential.secretAccessKey !== undefined;
    const secret = own ?? (hasCredential ? secretOf(kind, credential) : undefined);
    if (isMoved && secret === undefined)
      throw new Fault("invalid_request", "A URL of another origin needs its credential with it.", { param: "url" });
    await this.#dependencies.store.change(id, { ...change, ...dialing, ...(secret === undefined ? {} : { secret }) });
    this.invalidate();
    return { sink: await this.find(caller, id), secret: own?.reveal() };
  }

  async remove(caller: Caller, id: string): Promise<void> {
    if (!isId(id) || !(await this.#dependencies.store.remove(caller.accountId, id))) throw noSuchSink();
    this.invalidate();
  }

  /** Sends a sample record once, now. Returns why it was not taken; undefined: it was. */
  async sendTest(caller: Caller, id: string, signal: AbortSignal): Promise<string | undefined> {
    await this.find(caller, id);
    const { store, dialer, clock } = this.#dependencies;
    const sink = await store.openOne(id);
    if (sink === undefined) throw noSuchSink();
    const trace = new RequestTrace(newId(clock.now()), "/v1/log-sinks/test", clock);
    trace.caller = caller;
    const result = await sendToSink(dialer, clock, sink, [this.#write(sink, trace, 200)], signal);
    return result.kind === "sent" ? undefined : result.reason;
  }

  /** Called when a request has ended. Returns at once. */
  observe(trace: RequestTrace, status: number): void {
    const { caller, inference } = trace;
    if (caller?.hasLogSinks !== true || inference === undefined) return;
    const { accountId } = caller;
    const waiting = this.#waitingOf.get(accountId);
    const known = this.#sinksOf.get(accountId);
    if (waiting !== undefined) waiting.push({ trace, status });
    else if (known !== undefined) this.#queueFor(known, trace, status);
    else {
      const ended = [{ trace, status }];
      this.#waitingOf.set(accountId, ended);
      void this.#dependencies.backgroundWork.track(this.#queueWaiting(accountId, ended));
    }
  }

  /** Forgets what is known of the sinks: they may have changed. */
  invalidate(): void {
    this.#generation++;
    this.#sinksOf.clear();
  }

  counts(): (readonly [string, number])[] {
    let [sent, dropped] = [this.#sent, this.#dropped];
    for (const { queue } of this.#queues.values()) {
      sent += queue.sent;
      dropped += queue.dropped;
    }
    return [
      ["sent", sent],
      ["dropped", dropped],
    ];
  }

  /** Forgets queues that have nothing to do. */
  async sweep(): Promise<void> {
    for (const [id, { queue }] of this.#queues) {
      if (!queue.isIdle) continue;
      this.#sent += queue.sent;
      this.#dropped += queue.dropped;
      this.#queues.delete(id);
    }
  }

  /** Sends what waits, for a short time. */
  async stop(): Promise<void> {
    await Promise.all(Array.from(this.#queues.values(), ({ queue }) => queue.stop(STOP_GRACE_MS)));
  }

  /** Queues the requests that wait for an account's sinks. Where these can't be looked up, the requests are dropped. */
  async #queueWaiting(accountId: string, ended: readonly EndedRequest[]): Promise<void> {
    try {
      const sinks = await this.#load(accountId);
      this.#waitingOf.delete(accountId);
      for (const { trace, status } of ended) this.#queueFor(sinks, trace, status);
    } catch (error) {
      this.#waitingOf.delete(accountId);
      this.#dropped += ended.length;
      this.#dependencies.onError(error);
    }
  }

  async #load(accountId: string): Promise<readonly OpenLogSink[]> {
    for (;;) {
      const generation = this.#generation;
      const sinks = await this.#dependencies.store.open(accountId);
      // They may have changed meanwhile.
      if (generation !== this.#generation) continue;
      this.#sinksOf.set(accountId, sinks);
      for (const sink of sinks) {
        const open = this.#queues.get(sink.id);
        if (open !== undefined) open.sink = sink;
      }
      return sinks;
    }
  }

  #queueFor(sinks: readonly OpenLogSink[], trace: RequestTrace, status: number): void {
    for (const sink of sinks) {
      if (sink.share < 1 && this.#dependencies.random() >= sink.share) continue;
      this.#queueOf(sink).add(this.#write(sink, trace, status));
    }
  }

  #write(sink: OpenLogSink, trace: RequestTrace, status: number): string {
    if (sink.kind !== "otlp") return writeLogRecord(trace, status, sink.withContent);
    const context = trace.context ?? this.#tracer.start(trace.requestId);
    const { withContent } = sink;
    const request = { trace, status, method: undefined, ms: trace.elapsedMs, withContent };
    writeRequestSpan(this.#spanWriter, request, context);
    return this.#spanWriter.takeText();
  }

  #queueOf(sink: OpenLogSink): BatchQueue<string> {
    const known = this.#queues.get(sink.id);
    if (known !== undefined) return known.queue;
    const { dialer, clock, delayMs = DELAY_MS } = this.#dependencies;
    const entry: SinkQueue = {
      sink,
      queue: new BatchQueue<string>({
        send: (records, signal) => sendToSink(dialer, clock, entry.sink, records, signal),
        sizeOf: (record) => record.length,
        delayMs,
        batchItemsMax: BATCH_RECORDS_MAX,
        batchSizeMax: BATCH_SIZE_MAX,
        queueSizeMax: QUEUE_SIZE_MAX,
        shared: this.#shared,
        onDropped: (reason) => this.#noteError(sink.id, reason),
      }),
    };
    this.#queues.set(sink.id, entry);
    return entry.queue;
  }

  #noteError(id: string, reason: string): void {
    const { store, clock, backgroundWork, onError } = this.#dependencies;
    const nowMs = clock.monotonicMs();
    if (nowMs - (this.#errorNotedAt.get(id) ?? Number.NEGATIVE_INFINITY) < ERROR_INTERVAL_MS) return;
    this.#errorNotedAt.set(id, nowMs);
    void backgroundWork.track(store.recordError(id, reason).catch(onError));
  }

  /** Refuses a URL that can't be called. Returns whether the caller may use private addresses. */
  async #checkUrl(caller: Caller, url: string): Promise<boolean> {
    const mayDialPrivate = caller.scopes.has("admin");
    const problem = await this.#dependencies.checkEndpoint(url, mayDialPrivate);
    if (problem !== undefined) throw new Fault("invalid_request", problem, { param: "url" });
    return mayDialPrivate;
  }
}

/** undefined: the kind needs one that is not there. */
function secretOf(kind: LogSink["kind"], { headers, secretAccessKey }: LogSinkCredential): Secret | undefined {
  if (kind === "otlp") return new Secret(JSON.stringify(headers ?? {}));
  return secretAccessKey === undefined ? undefined : new Secret(secretAccessKey);
}

function noSuchSink(): Fault {
  return new Fault("not_found", "There is no such log sink. List yours with GET /v1/log-sinks.");
}
