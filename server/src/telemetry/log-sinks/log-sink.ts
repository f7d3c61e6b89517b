import type { Secret } from "@trunkline/core/secret.ts";

/** otlp: OpenTelemetry's protocol, as Langfuse and others take it. http: signed JSON lines. s3: objects in a bucket. */
export const LOG_SINK_KINDS = ["otlp", "http", "s3"] as const;
export type LogSinkKind = (typeof LOG_SINK_KINDS)[number];

/** What an account sets of a log sink. */
export interface LogSinkSettings {
  readonly kind: LogSinkKind;
  readonly url: string;
  /** Of the bucket; only for s3. */
  readonly region: string | undefined;
  /** Only for s3. */
  readonly accessKeyId: string | undefined;
  /** Whether prompts and answers are sent as well. */
  readonly withContent: boolean;
  /** The share of requests that are sent, above 0 and up to 1. */
  readonly share: number;
  readonly description: string;
}

export interface LogSink extends LogSinkSettings {
  readonly id: string;
  readonly accountId: string;
  readonly mayDialPrivate: boolean;
  readonly enabled: boolean;
  readonly lastError: string | undefined;
  readonly lastErrorAt: Date | undefined;
  readonly createdAt: Date;
}

/** A log sink with what it takes to send to it. */
export interface OpenLogSink extends LogSink {
  /** Headers as JSON (otlp), the signing secret (http), or the secret access key (s3); undefined: it can't be decrypted. */
  readonly secret: Secret | undefined;
}

export type LogSinkDraft = LogSinkSettings & Pick<LogSink, "id" | "accountId" | "mayDialPrivate">;

/** Missing fields stay as they are. */
export type LogSinkChange = Partial<Omit<LogSinkSettings, "kind">> &
  Partial<Pick<LogSink, "enabled" | "mayDialPrivate">> & { readonly secret?: Secret | undefined };

export interface LogSinkStore {
  /** undefined where the account has `most` of them already. */
  create(draft: LogSinkDraft, secret: Secret, most: number): Promise<LogSink | undefined>;
  /** Newest first. */
  list(accountId: string, limit: number, cursor: string | undefined): Promise<LogSink[]>;
  find(accountId: string, id: string): Promise<LogSink | undefined>;
  change(id: string, change: LogSinkChange): Promise<void>;
  /** False where there is no such sink. */
  remove(accountId: string, id: string): Promise<boolean>;
  /** Those of an account that are switched on. */
  open(accountId: string): Promise<OpenLogSink[]>;
  openOne(id: string): Promise<OpenLogSink | undefined>;
  recordError(id: string, error: string): Promise<void>;
}
