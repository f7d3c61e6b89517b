import type pg from "pg";
import { writeJson } from "./write-json.ts";

/** A statement that takes longer counts as a dead connection: requests wait for it. */
const TIMEOUT_MS = 5_000;
const WATCH_MS = 1_000;
/** Set after the connect: poolers refuse such settings in the connect itself. */
const PLAN_SETTINGS = "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off";
const BUFFER_BYTES = 256 * 1024;
/** A buffer that grew larger for one statement is not kept. */
const KEPT_BYTES_MAX = 4 * 1024 * 1024;

/** A list, or what makes each item when it is written. */
export interface ItemSource<Item> {
  readonly length: number;
  at(index: number): Item;
}

/** An array as PostgreSQL reads it. It is written item by item, since joining the items before costs more. */
export class ArrayValue {
  /** undefined is NULL. Where items are quoted, quotes and backslashes in them are already escaped. */
  readonly items: ItemSource<string | undefined>;
  readonly isQuoted: boolean;

  constructor(items: ItemSource<string | undefined>, isQuoted: boolean) {
    this.items = items;
    this.isQuoted = isQuoted;
  }
}

/** Values that are sent as JSON, one a line; undefined is an empty line. */
export class JsonLines {
  readonly items: ItemSource<unknown>;

  constructor(items: ItemSource<unknown>) {
    this.items = items;
  }
}

/** A parameter: a text, an array, or lines of JSON; undefined is NULL. */
export type StatementValue = string | ArrayValue | JsonLines | undefined;

/** One run of a statement. `pg` calls its methods with what the server answers. */
class StatementRun implements pg.Submittable {
  /** `pg` reads these. */
  readonly name: string;
  readonly text: string;
  readonly values: readonly StatementValue[];
  readonly resolve: (rows: readonly string[]) => void;
  readonly reject: (error: unknown) => void;
  readonly rows: string[] = [];
  readonly #owner: PreparedStatements;
  startedMs = 0;

  constructor(
    owner: PreparedStatements,
    name: string,
    text: string,
    values: readonly StatementValue[],
    resolve: (rows: readonly string[]) => void,
    reject: (error: unknown) => void,
  ) {
    this.#owner = owner;
    this.name = name;
    this.text = text;
    this.values = values;
    this.resolve = resolve;
    this.reject = reject;
  }

  submit(connection: pg.Connection): void {
    this.#owner.send(this, connection);
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    this.rows.push(fields[0] ?? "");
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.#owner.onAnswer(this);
  }

  handleError(error: Error): void {
    this.#owner.onFailure(this, error);
  }
}

/**
 * Runs statements that are sent again and again, one at a time, on a connection that is kept and parses each of them
 * once. After any failure the connection is closed, and the next statement opens a new one.
 */
export class PreparedStatements {
  readonly #createClient: () => pg.Client;
  readonly #onError: (error: Error) => void;
  readonly #toFailure: (error: unknown) => unknown;
  readonly #waiting: StatementRun[] = [];
  #running: StatementRun | undefined;
  #client: pg.Client | undefined;
  /** The names of the statements that the server has parsed on this connection. */
  #parsed = new Set<string>();
  /** What is sent. The server has read all of it when it answers, so that the next statement can use it again. */
  #buffer = Buffer.allocUnsafe(0);
  #watch: NodeJS.Timeout | undefined;
  #whenIdle: (() => void) | undefined;
  #isClosed = false;

  /** `onError` gets the error of a connection that broke while it was idle; `toFailure` makes what a run rejects with. */
  constructor(createClient: () => pg.Client, onError: (error: Error) => void, toFailure: (error: unknown) => unknown) {
    this.#createClient = createClient;
    this.#onError = onError;
    this.#toFailure = toFailure;
  }

  /** Returns the first column of each row as text. */
  run(name: string, text: string, values: readonly StatementValue[]): Promise<readonly string[]> {
    return new Promise((resolve, reject) => {
      const run = new StatementRun(this, name, text, values, resolve, reject);
      if (this.#running === undefined) this.#start(run);
      else this.#waiting.push(run);
    });
  }

  /** Waits for the statements that run, and closes the connection. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#watch);
    if (this.#running !== undefined)
      await new Promise<void>((resolve) => {
        this.#whenIdle = resolve;
      });
    await this.#client?.end();
  }

  #start(run: StatementRun): void {
    this.#running = run;
    run.startedMs = performance.now();
    if (this.#client === undefined) void this.#open(run);
    else this.#client.query(run);
  }

  async #open(run: StatementRun): Promise<void> {
    try {
      if (this.#isClosed) throw new Error("The database is closed.");
      const client = this.#createClient();
      client.on("error", (error) => {
        if (this.#running === undefined) this.#onError(error);
        if (this.#client === client) this.#dropClient();
      });
      await client.connect();
      const settings: pg.QueryConfig & { readonly query_timeout: number } = {
        text: PLAN_SETTINGS,
        query_timeout: TIMEOUT_MS,
      };
      await client.query(settings);
      this.#client = client;
      this.#parsed = new Set();
      this.#buffer = Buffer.allocUnsafe(BUFFER_BYTES);
      this.#watch ??= setInterval(() => this.#failIfLate(), WATCH_MS).unref();
      run.startedMs = performance.now();
      client.query(run);
    } catch (error) {
      this.#end(run);
      run.reject(this.#toFailure(error));
    }
  }

  /** Called by the run when it is its turn on the connection. */
  send(run: StatementRun, connection: pg.Connection): void {
    if (!this.#parsed.has(run.name)) connection.parse({ name: run.name, text: run.text, types: [] }, false);
    connection.stream.write(this.#encode(run));
  }

  onAnswer(run: StatementRun): void {
    if (this.#running !== run) return;
    this.#parsed.add(run.name);
    if (this.#buffer.length > KEPT_BYTES_MAX) this.#buffer = Buffer.allocUnsafe(BUFFER_BYTES);
    this.#end(run);
    run.resolve(run.rows);
  }

  onFailure(run: StatementRun, error: Error): void {
    if (this.#running !== run) return;
    this.#dropClient();
    this.#end(run);
    run.reject(this.#toFailure(error));
  }

  #dropClient(): void {
    const client = this.#client;
    this.#client = undefined;
    client?.end().catch(() => undefined);
  }

  #end(run: StatementRun): void {
    if (this.#running !== run) return;
    this.#running = undefined;
    const next = this.#waiting.shift();
    if (next !== undefined) this.#start(next);
    else this.#whenIdle?.();
  }

  #failIfLate(): void {
    const run = this.#running;
    if (run !== undefined && this.#client !== undefined && performance.now() - run.startedMs >= TIMEOUT_MS)
      this.onFailure(run, new Error("Query read timeout"));
  }

  /** The messages Bind, Execute and Sync of PostgreSQL's protocol, with all values as text. */
  #encode(run: StatementRun): Buffer {
    for (;;) {
      const end = writeMessages(this.#buffer, run);
      if (end <= this.#buffer.length) return this.#buffer.subarray(0, end);
      this.#buffer = Buffer.allocUnsafe(end * 2);
    }
  }
}

/** Returns where the messages end; more than the buffer's length: they do not fit. */
function writeMessages(buffer: Buffer, { name, values }: StatementRun): number {
  // A UTF-16 unit takes at most three bytes. What arrays and JSON take shows when they are written.
  let most = 64 + name.length * 3;
  for (const value of values) {
    most += 6;
    if (typeof value === "string") most += value.length * 3;
  }
  if (most > buffer.length) return most;
  let at = buffer.writeUInt8(BIND, 0) + 4;
  at = buffer.writeUInt8(0, at);
  at += buffer.write(name, at);
  at = buffer.writeUInt8(0, at);
  // No format codes: text.
  at = buffer.writeUInt16BE(0, at);
  at = buffer.writeUInt16BE(values.length, at);
  for (const value of values) {
    const start = at + 4;
    if (value === undefined) {
      at = buffer.writeInt32BE(NULL_LENGTH, at);
      continue;
    }
    let end = start;
    if (typeof value === "string") end = writeShort(buffer, value, start);
    else if (value instanceof ArrayValue) end = writeArray(buffer, value, start);
    else end = writeLines(buffer, value, start);
    // What comes after these was not counted on when there was room for everything else.
    most += typeof value === "string" ? 0 : end - start;
    if (most > buffer.length) return most;
    buffer.writeInt32BE(end - start, at);
    at = end;
  }
  at = buffer.writeUInt16BE(0, at);
  buffer.writeInt32BE(at - 1, 1);
  return at + EXECUTE_AND_SYNC.copy(buffer, at);
}

/** Returns where the lines end; more than the buffer's length: they do not fit. */
function writeLines(buffer: Buffer, { items }: JsonLines, start: number): number {
  let at = start;
  for (let index = 0; index < items.length; index++) {
    if (index > 0) buffer[at++] = LINE_FEED;
    const item = items.at(index);
    if (item !== undefined) at = writeJson(buffer, item, at);
    if (at > buffer.length) return at;
  }
  return at;
}

/** Returns where the array ends; more than the buffer's length: it does not fit. */
function writeArray(buffer: Buffer, { items, isQuoted }: ArrayValue, start: number): number {
  let at = start;
  buffer[at++] = ARRAY_START;
  for (let index = 0; index < items.length; index++) {
    const item = items.at(index);
    const most = at + (item?.length ?? 0) * 3 + ITEM_ROOM_BYTES;
    if (most > buffer.length) return most;
    if (index > 0) buffer[at++] = COMMA;
    if (item === undefined) at = writeShort(buffer, "NULL", at);
    else {
      if (isQuoted) buffer[at++] = QUOTE;
      at = writeShort(buffer, item, at);
      if (isQuoted) buffer[at++] = QUOTE;
    }
  }
  buffer[at++] = ARRAY_END;
  return at;
}

/** For a comma, two quotes, NULL, and the end of the array. */
const ITEM_ROOM_BYTES = 8;
/** A call into Node costs more than a short text. */
const SHORT_CHARS_MAX = 48;

function writeShort(buffer: Buffer, text: string, start: number): number {
  if (text.length > SHORT_CHARS_MAX) return start + buffer.write(text, start);
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) return start + buffer.write(text, start);
    buffer[start + index] = code;
  }
  return start + text.length;
}

const NULL_LENGTH = -1;
const ARRAY_START = "{".charCodeAt(0);
const ARRAY_END = "}".charCodeAt(0);
const COMMA = ",".charCodeAt(0);
const QUOTE = '"'.charCodeAt(0);
const LINE_FEED = 0x0a;
const BIND = "B".charCodeAt(0);
/** Execute of the unnamed portal, all rows; then Sync. */
const EXECUTE_AND_SYNC = Buffer.from("E\0\0\0\x09\0\0\0\0\0S\0\0\0\x04", "latin1");
