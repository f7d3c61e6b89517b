import type { EventType } from "@trunkline/core/alerts.ts";
import type { BatchStatus } from "@trunkline/core/batch-status.ts";
import type { Caller } from "@trunkline/core/caller.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { isId, newId } from "@trunkline/core/id.ts";
import type { Sealer } from "@trunkline/core/secret.ts";
import { ATTACHED_PURPOSES, type AttachedFile, isAttachedPurpose } from "./attached-file.ts";

const HOUR_MS = 3_600_000;
const WINDOW_MS = 24 * HOUR_MS;
/** How long files and results are stored. */
const RETENTION_MS = 30 * 24 * HOUR_MS;

interface BatchesDependencies {
  readonly batches: BatchStore;
  readonly files: FileStore;
  readonly clock: Clock;
  /** Encrypts the files that messages name. */
  readonly sealer: Sealer;
  /** Called when the BatchWorker has something to do. */
  readonly onChange: () => void;
}

/** A client's request for a new batch. */
interface BatchRequest {
  readonly inputFileId: string;
  readonly endpoint: string;
  readonly metadata: Readonly<Record<string, string>> | undefined;
}

/** An account's limits: files are stored for a month, and each batch copies its lines. */
const STORED_BYTES_MAX = 500_000_000;
const OPEN_BATCHES_MAX = 50;

/** An account's files and batches. Those of other accounts are treated as missing. */
export class Batches {
  readonly #dependencies: BatchesDependencies;

  constructor(dependencies: BatchesDependencies) {
    this.#dependencies = dependencies;
  }

  async upload(caller: Caller, { name, purpose, mediaType, content, keptMs }: Upload): Promise<StoredFile> {
    const { files, clock, sealer } = this.#dependencies;
    const now = clock.now();
    const id = newId(now);
    const { accountId } = caller;
    const expiresAt = new Date(now + Math.min(keptMs ?? RETENTION_MS, RETENTION_MS));
    const file = { id, accountId, name, purpose, createdAt: new Date(now), expiresAt };
    const stored = isAttachedPurpose(purpose)
      ? { box: sealer.sealBytes(content, fileOwner(accountId, id)), mediaType, bytes: content.length }
      : { box: content };
    if (!(await files.create(file, stored, STORED_BYTES_MAX)))
      throw new Fault(
        "conflict",
        `An account's files may take ${STORED_BYTES_MAX.toLocaleString("en")} bytes together. Delete some first.`,
      );
    return this.file(caller, id);
  }

  /** Deletes expired files and batches. */
  sweep(): Promise<void> {
    const { batches, clock } = this.#dependencies;
    return batches.sweep(new Date(clock.now()));
  }

  async file({ accountId }: Caller, id: string): Promise<StoredFile> {
    const file = isId(id) ? await this.#dependencies.files.find(accountId, id) : undefined;
    if (file === undefined) throw noSuchFile();
    return file;
  }

  files({ accountId }: Caller, filter: FileFilter, limit: number): Promise<StoredFile[]> {
    return this.#dependencies.files.list(accountId, filter, limit);
  }

  async content(caller: Caller, id: string): Promise<Buffer> {
    const { purpose } = await this.file(caller, id);
    const content = await this.#dependencies.files.content(caller.accountId, id);
    if (content === undefined) throw noSuchFile();
    return isAttachedPurpose(purpose) ? this.#open(caller.accountId, id, content) : content;
  }

  /** The files with these ids that messages can name. `countBytes` gets their size, and may refuse it. */
  async attachedFiles(
    { accountId }: Caller,
    ids: readonly string[],
    bytesMax: number,
    countBytes: (bytes: number) => void,
  ): Promise<ReadonlyMap<string, AttachedFile>> {
    const found = await this.#dependencies.files.attached(accountId, ids.filter(isId), bytesMax);
    if (found === "too large")
      throw new Fault("payload_too_large", `The files of a request may have ${bytesMax} bytes together.`);
    countBytes(found.reduce((sum, { box }) => sum + box.length, 0));
    return new Map(
      found.map(({ id, name, mediaType, box }) => [id, { name, mediaType, content: this.#open(accountId, id, box) }]),
    );
  }

  #open(accountId: string, id: string, box: Buffer): Buffer {
    try {
      return this.#dependencies.sealer.openBytes(box, fileOwner(accountId, id));
    } catch (cause) {
      throw new Fault("not_found", "This file was encrypted under another secret and can't be read.", {}, { cause });
    }
  }

  async removeFile({ accountId }: Caller, id: string): Promise<void> {
    const outcome = isId(id) ? await this.#dependencies.files.remove(accountId, id) : "unknown";
    if (outcome === "unknown") throw noSuchFile();
    if (outcome === "in use")
      throw new Fault("conflict", "The batch is still writing to this file. Cancel it first, or wait.");
  }

  async create(caller: Caller, address: string, request: BatchRequest): Promise<Batch> {
    const { batches, clock, onChange } = this.#dependencies;
    const input = await this.file(caller, request.inputFileId).catch((error: unknown) => {
      throw error instanceof Fault ? noSuchInput() : error;
    });
    if (input.purpose !== "batch") throw noSuchInput();
    const now = clock.now();
    const id = newId(now);
    const draft = {
      id,
      accountId: caller.accountId,
      keyId: caller.keyId,
      address,
      ...request,
      outputFileId: newId(now),
      errorFileId: newId(now),
      createdAt: new Date(now),
      expiresAt: new Date(now + WINDOW_MS),
    };
    if (!(await batches.create(draft, OPEN_BATCHES_MAX)))
      throw new Fault(
        "conflict",
        `An account may have ${OPEN_BATCHES_MAX} batches under way. Wait for one to end, or cancel one.`,
      );
    const batch = await this.find(caller, id);
    onChange();
    return batch;
  }

  async find({ accountId }: Caller, id: string): Promise<Batch> {
    const batch = isId(id) ? await this.#dependencies.batches.find(accountId, id) : undefined;
    if (batch === undefined) throw noSuchBatch();
    return batch;
  }

  list({ accountId }: Caller, filter: BatchFilter, limit: number): Promise<Batch[]> {
    return this.#dependencies.batches.list(accountId, filter, limit);
  }

  /** Running lines are finished; the others are not started. */
  async cancel(caller: Caller, id: string): Promise<Batch> {
    const { batches, clock, onChange } = this.#dependencies;
    const { status } = await this.find(caller, id);
    if (!(await batches.cancel(caller.accountId, id, new Date(clock.now()))))
      throw new Fault("conflict", `This batch is ${status}: there is nothing left to cancel.`);
    onChange();
    return this.find(caller, id);
  }
}

export function fileOwner(accountId: string, id: string): string {
  return `${accountId}/file/${id}`;
}

export function noSuchFile(): Fault {
  return new Fault("not_found", "There is no such file. List yours with GET /v1/files.");
}

function noSuchInput(): Fault {
  return new Fault("invalid_request", "`input_file_id` must be the id of a file for batches.", {
    param: "input_file_id",
  });
}

function noSuchBatch(): Fault {
  return new Fault("not_found", "There is no such batch. List yours with GET /v1/batches.");
}

/** How a batch can end. */
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
  /** The key that created it. Its lines are served as requests of this key from this address. */
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
  /** When it reached each status. */
  readonly times: Readonly<Partial<Record<BatchStatus, Date>>>;
}

/** One request of a batch. */
export interface BatchLine {
  readonly line: number;
  readonly customId: string;
  /** JSON. */
  readonly body: string;
}

/** An event for the webhooks' outbox. */
export interface BatchEvent {
  readonly id: string;
  readonly type: EventType | "webhook.test";
  readonly body: string;
}

/** Why the remaining lines were not run. */
export interface NotRunReason {
  readonly code: string;
  readonly message: string;
}

export interface BatchStore {
  /** False where the account has `openMax` open batches already. */
  create(draft: NewBatch, openMax: number): Promise<boolean>;
  find(accountId: string, id: string): Promise<Batch | undefined>;
  /** Newest first. */
  list(accountId: string, filter: BatchFilter, limit: number): Promise<Batch[]>;
  /** Requests its end. False where it has ended or is ending. */
  cancel(accountId: string, id: string, now: Date): Promise<boolean>;
  /** Claims a batch that has no worker. */
  claim(leaseMs: number): Promise<Batch | undefined>;
  /** Renews the lease; undefined where another worker has claimed the batch meanwhile. */
  renew(id: string, leaseMs: number): Promise<BatchStatus | undefined>;
  /** Releases it for any worker after a pause, which grows each time that it made no progress. */
  release(id: string, pauseMs: number, hasProgress: boolean): Promise<void>;
  /** Stores the lines of a valid file and marks the batch as running. */
  start(id: string, lines: readonly BatchLine[], now: Date): Promise<void>;
  /** The numbers of the unfinished lines. */
  pending(id: string): Promise<number[]>;
  line(id: string, line: number): Promise<BatchLine | undefined>;
  /** Stores a line's result. Repeating it changes nothing. */
  recordResult(id: string, line: number, failed: boolean, result: string): Promise<void>;
  markFinalizing(id: string, now: Date): Promise<void>;
  /** Ends the batch in one transaction: remaining lines get the reason as their result, and the event is queued. */
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

export const FILE_PURPOSES = ["batch", "batch_output", ...ATTACHED_PURPOSES] as const;
export type FilePurpose = (typeof FILE_PURPOSES)[number];

export interface StoredFile {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly purpose: FilePurpose;
  readonly mediaType: string;
  readonly bytes: number;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** The ids that a page of a list comes after, in a list that is read forwards, or before. */
interface ListPlace {
  readonly after?: string | undefined;
  readonly before?: string | undefined;
}

export interface BatchFilter extends ListPlace {
  /** The operation that all lines are sent to. */
  readonly endpoint?: string;
}

export interface FileFilter extends ListPlace {
  readonly purposes?: readonly FilePurpose[] | undefined;
  readonly ids?: readonly string[] | undefined;
}

/** A file as a client uploads it. */
export interface Upload extends AttachedFile {
  readonly purpose: Exclude<FilePurpose, "batch_output">;
  /** For how long the client wants it to be kept. */
  readonly keptMs?: number | undefined;
}

export interface FileStore {
  /** False where the account's files would exceed `bytesMax` together. `bytes`: the size before encryption. */
  create(
    file: Omit<StoredFile, "bytes" | "mediaType">,
    content: { readonly box: Buffer; readonly mediaType?: string; readonly bytes?: number },
    bytesMax: number,
  ): Promise<boolean>;
  /** The files with these ids that messages can name, encrypted. */
  attached(
    accountId: string,
    ids: readonly string[],
    bytesMax: number,
  ): Promise<
    | "too large"
    | readonly { readonly id: string; readonly name: string; readonly mediaType: string; readonly box: Buffer }[]
  >;
  find(accountId: string, id: string): Promise<StoredFile | undefined>;
  /** Newest first. */
  list(accountId: string, filter: FileFilter, limit: number): Promise<StoredFile[]>;
  /** For a file of results: those so far. */
  content(accountId: string, id: string): Promise<Buffer | undefined>;
  /** Results are removed with their file. "in use": they are still being written. */
  remove(accountId: string, id: string): Promise<"removed" | "unknown" | "in use">;
}
