import type { EventType } from "@trunkline/core/alerts.ts";
import type { BatchStatus } from "@trunkline/core/batch-status.ts";

/** How a batch can be over. */
export type FinalBatchStatus = "completed" | "failed" | "expired" | "cancelled";

/** What is wrong with a batch as a whole, or with a line of its file. */
export interface BatchError {
  readonly code: string;
  readonly message: string;
  readonly line: number | null;
  readonly param: string | null;
}

export interface NewBatch {
  readonly id: string;
  readonly accountId: string;
  /** The key that made it: its lines go down the line in that key's name, as if from this address. */
  readonly keyId: string;
  readonly address: string;
  /** As the client named it. */
  readonly endpoint: string;
  readonly inputFileId: string;
  readonly outputFileId: string;
  readonly errorFileId: string;
  readonly metadata: Readonly<Record<string, string>> | undefined;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export interface Batch extends NewBatch {
  readonly status: BatchStatus;
  readonly errors: readonly BatchError[];
  readonly total: number;
  readonly completed: number;
  readonly failed: number;
  /** When it came to be in each status, as far as it was. */
  readonly times: Readonly<Partial<Record<BatchStatus, Date>>>;
}

/** One request of a batch. */
export interface BatchLine {
  readonly line: number;
  readonly customId: string;
  /** JSON. */
  readonly body: string;
}

/** An event as the outbox takes it. */
export interface BatchEvent {
  readonly id: string;
  readonly type: EventType | "webhook.test";
  readonly body: string;
}

/** Why the lines that were not run were not. */
export interface NotRunReason {
  readonly code: string;
  readonly message: string;
}

export interface BatchStore {
  /** False where the account has so many under way already. */
  create(draft: NewBatch, mostOpen: number): Promise<boolean>;
  find(accountId: string, id: string): Promise<Batch | undefined>;
  /** Newest first, after another. */
  list(accountId: string, limit: number, after: string | undefined): Promise<Batch[]>;
  /** Asks for its end. False where it is over or ending already. */
  cancel(accountId: string, id: string, now: Date): Promise<boolean>;
  /** Takes over a batch on which nobody works. */
  claim(leaseMs: number): Promise<Batch | undefined>;
  /** Goes on working on it; undefined where it went to another meanwhile. */
  renew(id: string, leaseMs: number): Promise<BatchStatus | undefined>;
  /** Leaves it to whoever comes next, not before so long; each time longer where nothing could be done. */
  release(id: string, pauseMs: number, didSomething: boolean): Promise<void>;
  /** Its file is good: from now on it runs. */
  start(id: string, lines: readonly BatchLine[], now: Date): Promise<void>;
  /** The numbers of the lines that are not done. */
  pending(id: string): Promise<number[]>;
  line(id: string, line: number): Promise<BatchLine | undefined>;
  /** A line is done. Once is enough. */
  recordResult(id: string, line: number, failed: boolean, result: string): Promise<void>;
  markFinalizing(id: string, now: Date): Promise<void>;
  /** The end of it: what was not run gets the reason for its result, and the account is told, all in one. */
  finish(
    id: string,
    end: FinalBatchStatus,
    ending: {
      readonly now: Date;
      readonly reason: NotRunReason | undefined;
      readonly errors: readonly BatchError[];
    },
    eventOf: (batch: Batch) => BatchEvent,
  ): Promise<void>;
  sweep(now: Date): Promise<void>;
}

export const FILE_PURPOSES = ["batch", "batch_output"] as const;
export type FilePurpose = (typeof FILE_PURPOSES)[number];

export interface StoredFile {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly purpose: FilePurpose;
  readonly bytes: number;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export interface FileStore {
  /** False where the account's files would take more than so many bytes together. */
  create(file: Omit<StoredFile, "bytes" | "purpose">, content: Buffer, mostBytes: number): Promise<boolean>;
  find(accountId: string, id: string): Promise<StoredFile | undefined>;
  list(
    accountId: string,
    filter: { readonly purpose: FilePurpose | undefined; readonly after: string | undefined },
    limit: number,
  ): Promise<StoredFile[]>;
  /** Of results: what is done so far. */
  content(accountId: string, id: string): Promise<Buffer | undefined>;
  /** Results go with their file. "in use": they are still being written. */
  remove(accountId: string, id: string): Promise<"removed" | "unknown" | "in use">;
}
