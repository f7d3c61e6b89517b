import { ApiError, errorOfBody, errorOfResponse, isRecord } from "./api-error.ts";
import type { Operations } from "./wire.ts";

export { ApiError } from "./api-error.ts";
export type { Operations } from "./wire.ts";

/** The name of an operation, such as `GET /v1/keys/{id}`. */
export type OperationName = keyof Operations;

/** What an operation answers. */
export type AnswerOf<Name extends OperationName> = Operations[Name]["answer"];

/** What an operation takes as its body. */
export type BodyOf<Name extends OperationName> = Operations[Name]["body"];

/** What an operation takes in its address, after the question mark. */
export type QueryOf<Name extends OperationName> = NonNullable<Operations[Name]["query"]>;

type Part<Key extends string, Type> = undefined extends Type ? { [K in Key]?: Type } : { [K in Key]: Type };

/** What a call is made of: the path's parameters and the body where the operation has them, and whatever else helps. */
export type Input<Name extends OperationName> = Part<"params", Operations[Name]["params"]> &
  Part<"body", Operations[Name]["body"]> & {
    readonly query?: Operations[Name]["query"];
    readonly headers?: Readonly<Record<string, string>>;
    readonly signal?: AbortSignal | undefined;
    /** Told the id of the request as soon as the answer begins; the request's record is found under it. */
    readonly onRequestId?: (id: string) => void;
  };

/** Where every part may be left out, so may the whole. */
type Rest<Name extends OperationName> =
  Record<never, never> extends Input<Name> ? [input?: Input<Name>] : [input: Input<Name>];

export interface ClientSettings {
  /** Where the service is; in a browser it may be left out. */
  readonly baseUrl?: string;
  /** An API key. Without one the browser's session counts. */
  readonly key?: string;
  readonly fetch?: typeof fetch;
}

export interface Client {
  /** Makes one call and gives its answer, or throws an ApiError. */
  call<Name extends OperationName>(name: Name, ...rest: Rest<Name>): Promise<AnswerOf<Name>>;
  /** Makes one call whose answer is wanted in another form, such as `text/csv`, and gives it as text. */
  text<Name extends OperationName>(name: Name, accept: string, ...rest: Rest<Name>): Promise<string>;
  /** Makes one call whose answer is a stream of lines. An error in mid-stream is thrown like any other. */
  stream<Name extends OperationName>(name: Name, ...rest: Rest<Name>): AsyncIterable<AnswerOf<Name>>;
}

interface Loose {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  readonly onRequestId?: (id: string) => void;
}

/** A client of the API. Every call is typed by the operation's name. */
export function createClient(settings: ClientSettings = {}): Client {
  const ask = settings.fetch ?? ((input, init) => fetch(input, init));

  async function send(name: OperationName, input: Loose, accept: string): Promise<Response> {
    const [method = "GET", path = "/"] = name.split(" ");
    const response = await ask((settings.baseUrl ?? "") + fillPath(path, input.params) + queryText(input.query), {
      method,
      credentials: "same-origin",
      headers: {
        accept,
        ...(settings.key === undefined ? {} : { authorization: `Bearer ${settings.key}` }),
        ...(input.body === undefined ? {} : { "content-type": "application/json" }),
        ...input.headers,
      },
      ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
      ...(input.signal === undefined ? {} : { signal: input.signal }),
    }).catch((cause: unknown) => {
      if (input.signal?.aborted === true) throw cause;
      throw new ApiError(
        "The service can't be reached. Check your connection and try again.",
        { status: 0, type: "unreachable" },
        { cause },
      );
    });
    if (!response.ok) throw await errorOfResponse(response);
    const requestId = response.headers.get("x-request-id");
    if (requestId !== null) input.onRequestId?.(requestId);
    return response;
  }

  async function call(name: OperationName, input: Loose = {}): Promise<unknown> {
    const response = await send(name, input, "application/json");
    if (response.status === 204) return undefined;
    try {
      return await response.json();
    } catch (cause) {
      if (input.signal?.aborted === true) throw cause;
      const requestId = response.headers.get("x-request-id") ?? undefined;
      const details = { status: response.status, type: "unreadable", requestId };
      throw new ApiError("The service's answer can't be read. Try again.", details, { cause });
    }
  }

  async function text(name: OperationName, accept: string, input: Loose = {}): Promise<string> {
    return (await send(name, input, accept)).text();
  }

  async function* stream(name: OperationName, input: Loose = {}): AsyncGenerator<unknown> {
    const response = await send(name, input, "application/x-ndjson");
    if (response.body === null) return;
    for await (const line of readLines(response.body)) {
      const part: unknown = JSON.parse(line);
      if (isRecord(part) && isRecord(part.error)) throw errorOfBody(part, { status: response.status });
      yield part;
    }
  }

  // The answer's type is the operation's word; the server is built from the same table.
  return { call: call as Client["call"], text: text as Client["text"], stream: stream as Client["stream"] };
}

/** Puts the parameters into the path. One that would climb out of its place is a mistake of the caller. */
function fillPath(path: string, params: unknown): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(isRecord(params) ? params[name] : "");
    if (value === "" || value === "." || value === "..") throw new TypeError(`The parameter ${name} is missing.`);
    return encodeURIComponent(value);
  });
}

function queryText(query: unknown): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(isRecord(query) ? query : {})) {
    if (value === undefined || value === null) continue;
    for (const item of Array.isArray(value) ? value : [value]) search.append(name, String(item));
  }
  const text = search.toString();
  return text === "" ? "" : `?${text}`;
}

/** The lines of a stream of bytes, without the empty ones. Leaving early cancels the stream. */
async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let isOver = false;
  try {
    while (!isOver) {
      const { done, value } = await reader.read();
      isOver = done;
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const lines = rest.split("\n");
      rest = done ? "" : (lines.pop() ?? "");
      for (const line of lines) if (line.trim() !== "") yield line;
    }
  } finally {
    // Where the reader was done or failed, there is nothing left to cancel.
    if (!isOver) await reader.cancel().catch(() => undefined);
  }
}
