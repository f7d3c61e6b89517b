import { ApiError, ConnectionError, errorOfResponse, isRecord, RequestTimeoutError } from "./api-error.ts";
import { readStream } from "./read-stream.ts";
import { mayRetry, newIdempotencyKey, pause, retryDelayMs } from "./retry.ts";
import type { Operations } from "./wire.ts";

export {
  ApiError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  InsufficientFundsError,
  InvalidRequestError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  RequestTimeoutError,
  ServiceError,
  UnsafeContentError,
} from "./api-error.ts";
export type { Operations } from "./wire.ts";

/** The name of an operation, such as `GET /v1/keys/{id}`. */
export type OperationName = keyof Operations;

/** What an operation answers. */
export type AnswerOf<Name extends OperationName> = Operations[Name]["answer"];

/** One part of an answer that is streamed. */
export type EventOf<Name extends OperationName> = Operations[Name] extends { event: infer Event }
  ? Event
  : AnswerOf<Name>;

/** What an operation takes as its body. */
export type BodyOf<Name extends OperationName> = Operations[Name]["body"];

/** What an operation takes in its address, after the question mark. */
export type QueryOf<Name extends OperationName> = NonNullable<Operations[Name]["query"]>;

/** The operations that answer with pages. */
export type ListName = {
  [Name in OperationName]: AnswerOf<Name> extends { data: readonly unknown[]; next_cursor: string | null }
    ? Name
    : never;
}[OperationName];

/** One entry of a list. */
export type ItemOf<Name extends ListName> = AnswerOf<Name> extends { data: readonly (infer Item)[] } ? Item : never;

/** What any call may have besides its own parts. */
export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends the call, its retries and its stream. The call then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Receives the id of the request as soon as the answer begins; the request's record is found under it. */
  readonly onRequestId?: (id: string) => void;
  /** How often the call may be tried again; absent: as the client's settings say. */
  readonly maxRetries?: number;
  /** How long to wait for the answer, or for the next part of a stream; absent: as the client's settings say. */
  readonly timeoutMs?: number;
  /** Of an inference call: one run and one charge for all calls with this key within 24 hours. Absent: where the call may be tried again, a new one for it and its retries. */
  readonly idempotencyKey?: string;
}

type Part<Key extends string, Type> = undefined extends Type ? { [K in Key]?: Type } : { [K in Key]: Type };

/** What a call is made of: the path's parameters, the query and the body where the operation has them, and options. */
export type Input<Name extends OperationName> = Part<"params", Operations[Name]["params"]> &
  Part<"body", Operations[Name]["body"]> &
  CallOptions & { readonly query?: Operations[Name]["query"] };

/** Where every part may be left out, so may the whole. */
type Rest<Name extends OperationName> =
  Record<never, never> extends Input<Name> ? [input?: Input<Name>] : [input: Input<Name>];

const CHAT = "POST /openai/v1/chat/completions";

/** A conversation to be continued. `model` may be left out: the service chooses. */
export type ChatBody = Omit<BodyOf<typeof CHAT>, "stream" | "stream_options">;
export type ChatAnswer = AnswerOf<typeof CHAT>;
/** A part of an answer. The last one has `usage`, with the cost. */
export type ChatChunk = EventOf<typeof CHAT>;

export interface ClientSettings {
  /** Where the service is; in a browser it may be left out. */
  readonly baseUrl?: string;
  /** An API key. Without one the browser's session counts. */
  readonly key?: string;
  /** How often a call is tried again that may succeed later. Default 2. */
  readonly maxRetries?: number;
  /** How long to wait for an answer, or for the next part of a stream. Default 280,000: Node's own `fetch` gives up after 300 s. */
  readonly timeoutMs?: number;
  readonly fetch?: typeof fetch;
}

export interface Client {
  /** Makes one call and gives its answer, or throws an ApiError. */
  call<Name extends OperationName>(name: Name, ...rest: Rest<Name>): Promise<AnswerOf<Name>>;
  /** Makes one call whose answer is wanted in another form, such as `text/csv`, and gives it as text. */
  text<Name extends OperationName>(name: Name, accept: string, ...rest: Rest<Name>): Promise<string>;
  /** Makes one call whose answer is streamed. An error in mid-stream, or a stream without its end, is thrown like any other. */
  stream<Name extends OperationName>(name: Name, ...rest: Rest<Name>): AsyncIterable<EventOf<Name>>;
  /** Goes through a whole list, page after page as they are needed. */
  items<Name extends ListName>(name: Name, ...rest: Rest<Name>): AsyncIterable<ItemOf<Name>>;
  /** Sends an input and gives the output, with the model and the token counts. */
  generate(body: string | BodyOf<"POST /v1/generate">, options?: CallOptions): Promise<AnswerOf<"POST /v1/generate">>;
  /** Continues a conversation and gives the whole answer. */
  chat(body: ChatBody, options?: CallOptions): Promise<ChatAnswer>;
  /** Continues a conversation and gives the answer as it comes. */
  streamChat(body: ChatBody, options?: CallOptions): AsyncIterable<ChatChunk>;
}

interface Loose extends CallOptions {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
}

/** What is billed. It takes an idempotency key, so that a repeated call neither runs nor costs twice. */
export const INFERENCE: ReadonlySet<string> = new Set([
  "POST /v1/ai/request",
  "POST /v1/generate",
  "POST /v1/stream",
  "POST /v1/image",
  "POST /v1/audio",
  "POST /v1/embeddings",
  CHAT,
]);

const DEFAULT_RETRIES = 2;
const DEFAULT_TIMEOUT_MS = 280_000;

/** A client of the API. Every call is typed by the operation's name. */
export function createClient(settings: ClientSettings = {}): Client {
  const ask = settings.fetch ?? ((input, init) => fetch(input, init));
  const baseUrl = (settings.baseUrl ?? "").replace(/\/+$/, "");

  /** One call with its retries, up to the head of its answer. The body is the same text each time: the service compares it. */
  async function send(name: OperationName, input: Loose, accept: string): Promise<Answer> {
    const [method = "GET", path = "/"] = name.split(" ");
    const url = baseUrl + fillPath(path, input.params) + queryText(input.query);
    const maxRetries = input.maxRetries ?? settings.maxRetries ?? DEFAULT_RETRIES;
    // For a key the service keeps the answer for a day: none is sent without need.
    const idempotencyKey = input.idempotencyKey ?? (maxRetries > 0 ? newIdempotencyKey() : undefined);
    const isSafeTwice = INFERENCE.has(name) ? idempotencyKey !== undefined : !["POST", "PATCH"].includes(method);
    const init: RequestInit = {
      method,
      credentials: "same-origin",
      headers: {
        accept,
        ...(settings.key === undefined ? {} : { authorization: `Bearer ${settings.key}` }),
        ...(input.body === undefined ? {} : { "content-type": "application/json" }),
        ...(INFERENCE.has(name) && idempotencyKey !== undefined ? { "idempotency-key": idempotencyKey } : {}),
        ...input.headers,
      },
      ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
    };
    for (let retry = 1; ; retry++) {
      try {
        return await sendOnce(url, init, input);
      } catch (error) {
        if (!(error instanceof ApiError) || retry > maxRetries || !mayRetry(error, isSafeTwice)) throw error;
        await pause(retryDelayMs(retry, error.retryAfterSeconds), input.signal);
      }
    }
  }

  async function sendOnce(url: string, init: RequestInit, input: Loose): Promise<Answer> {
    const deadline = new Deadline(input.timeoutMs ?? settings.timeoutMs ?? DEFAULT_TIMEOUT_MS, input.signal);
    try {
      const response = await ask(url, { ...init, signal: deadline.signal });
      if (!response.ok) throw await errorOfResponse(response);
      const requestId = response.headers.get("x-request-id");
      if (requestId !== null) input.onRequestId?.(requestId);
      return { response, deadline };
    } catch (error) {
      deadline.end();
      const place = baseUrl === "" ? "The service" : `The service at ${baseUrl}`;
      throw deadline.explain(error, `${place} can't be reached. Check your connection and try again.`, "unreachable");
    }
  }

  async function call(name: OperationName, input: Loose = {}): Promise<unknown> {
    const { response, deadline } = await send(name, input, "application/json");
    try {
      return response.status === 204 ? undefined : await response.json();
    } catch (cause) {
      if (cause instanceof SyntaxError) {
        const requestId = response.headers.get("x-request-id") ?? undefined;
        const details = { status: response.status, type: "unreadable", requestId };
        throw new ApiError("The service's answer can't be read. Try again.", details, { cause });
      }
      throw deadline.explain(cause, "The answer broke off before its end.", "cut_off");
    } finally {
      deadline.end();
    }
  }

  async function text(name: OperationName, accept: string, input: Loose = {}): Promise<string> {
    const { response, deadline } = await send(name, input, accept);
    try {
      return await response.text();
    } catch (cause) {
      throw deadline.explain(cause, "The answer broke off before its end.", "cut_off");
    } finally {
      deadline.end();
    }
  }

  async function* stream(name: OperationName, input: Loose = {}): AsyncGenerator<unknown> {
    const accept = name === CHAT ? "text/event-stream" : "application/x-ndjson";
    const { response, deadline } = await send(name, input, accept);
    try {
      yield* readStream(response, () => deadline.renew());
    } catch (cause) {
      throw deadline.explain(cause, "The answer broke off before its end.", "cut_off");
    } finally {
      deadline.end();
    }
  }

  async function* items(name: OperationName, input: Loose = {}): AsyncGenerator<unknown> {
    let query = isRecord(input.query) ? input.query : {};
    for (;;) {
      const page = (await call(name, { ...input, query })) as { data: readonly unknown[]; next_cursor: string | null };
      yield* page.data;
      if (page.next_cursor === null) return;
      query = { ...query, cursor: page.next_cursor };
    }
  }

  // The answer's type is the operation's word; the server is built from the same table.
  const client = { call, text, stream, items } as Pick<Client, "call" | "text" | "stream" | "items">;
  return {
    ...client,
    generate: (body, options) =>
      client.call("POST /v1/generate", { ...options, body: typeof body === "string" ? { input: body } : body }),
    chat: (body, options) => client.call(CHAT, { ...options, body: withModel(body) }),
    streamChat: (body, options) =>
      client.stream(CHAT, {
        ...options,
        body: { ...withModel(body), stream: true, stream_options: { include_usage: true } },
      }),
  };
}

/** `models` may name the model as well. */
function withModel(body: ChatBody): ChatBody {
  return body.model === undefined && body.models == null ? { ...body, model: "auto" } : body;
}

/** An answer whose body is still to be read, within the time that is left. */
interface Answer {
  readonly response: Response;
  readonly deadline: Deadline;
}

/** The time a call may take, and the caller's own signal, as one signal. */
class Deadline {
  readonly #ms: number;
  readonly #given: AbortSignal | undefined;
  readonly #controller = new AbortController();
  readonly #onAbort = () => this.#controller.abort(this.#given?.reason);
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number, given: AbortSignal | undefined) {
    this.#ms = ms;
    this.#given = given;
    if (given?.aborted === true) this.#onAbort();
    given?.addEventListener("abort", this.#onAbort, { once: true });
    this.renew();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Begins the wait again: something came. */
  renew(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const message = `No answer came within ${this.#ms / 1_000} s.`;
      this.#controller.abort(new RequestTimeoutError(message, { status: 0, type: "timeout" }));
    }, this.#ms);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#given?.removeEventListener("abort", this.#onAbort);
  }

  /** What to throw for what `fetch` threw: the abort's own reason, an error of ours as it is, else a broken connection. */
  explain(thrown: unknown, message: string, type: string): unknown {
    if (this.signal.aborted) return this.signal.reason;
    if (thrown instanceof ApiError) return thrown;
    return new ConnectionError(message, { status: 0, type }, { cause: thrown });
  }
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
