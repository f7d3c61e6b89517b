import {
  type Adapter,
  awaitGroup,
  type PartSource,
  type PartsResult,
  type ProviderCall,
} from "@trunkline/core/adapter.ts";
import type { CancelSignal } from "@trunkline/core/cancellation.ts";
import { type Clock, systemClock } from "@trunkline/core/clock.ts";
import { Arrival } from "@trunkline/core/in-step.ts";
import type { CallLimits } from "@trunkline/core/model.ts";
import type { Part } from "@trunkline/core/parts.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import { forgetToken, sentCredentialOf } from "../credentials/access-tokens.ts";
import { type CloudCredential, cloudCredentialOf } from "../credentials/cloud-credential.ts";
import { type DialCall, DialFailure, type DialFailureKind, type DialResponse } from "../dialer/dial-request.ts";
import type { Dialer } from "../dialer/dialer.ts";
import { limitsOf } from "./call-limits.ts";
import { APART_MAX, joinTexts } from "./join-texts.ts";
import { KeyRotation } from "./key-rotation.ts";
import { readRateLimit } from "./rate-limit.ts";
import { readProviderError } from "./read-provider-error.ts";
import type { AnswerReader, WireFormat, WireRequest } from "./wire-format.ts";

const KIND_OF_DIAL_FAILURE: Readonly<Record<DialFailureKind, ProviderFailure["kind"]>> = {
  "forbidden-address": "refused",
  refused: "refused",
  dns: "refused",
  tls: "refused",
  "connect-timeout": "timeout",
  "first-byte-timeout": "timeout",
  "silence-timeout": "timeout",
  "whole-timeout": "timeout",
  "too-large": "too-large",
  reset: "broken",
  aborted: "broken",
};

/** Calls every provider that is reached over HTTP, each in its own format. */
export function httpAdapter(dialer: Dialer, format: WireFormat, clock: Clock = systemClock): Adapter {
  const adapterDeps = { dialer, format, clock, rotation: new KeyRotation(clock) };
  return { call: (call) => new HttpAnswer(adapterDeps, call) };
}

interface AdapterDeps {
  readonly dialer: Dialer;
  readonly format: WireFormat;
  readonly clock: Clock;
  readonly rotation: KeyRotation;
}

const DONE: PartsResult = { done: true, value: undefined };
const WHEN_DONE = Promise.resolve(DONE);

/**
 * The answer to one call, in the groups of parts in which it arrives. The request is sent when the first group is asked
 * for.
 */
class HttpAnswer implements AsyncIterableIterator<readonly Part[], undefined>, PartSource, DialCall {
  readonly #adapterDeps: AdapterDeps;
  readonly #call: ProviderCall;
  #response: AnsweringResponse | undefined;
  #isStreamed = false;
  /** What was made of the bytes that came while the reader waited: parts, and then why there are no more. */
  #parts: Part[] = [];
  #partsFailure: { readonly error: unknown } | undefined;
  /** The reader's wait for the head of the response. */
  readonly #headArrival = new Arrival();
  /** Thrown once the parts before it were read. */
  #failure: { readonly error: unknown } | undefined;
  #isOver = false;

  constructor(adapterDeps: AdapterDeps, call: ProviderCall) {
    this.#adapterDeps = adapterDeps;
    this.#call = call;
  }

  next(): Promise<PartsResult> {
    return awaitGroup(this);
  }

  /** Closes the connection, unless the answer has ended. */
  return(): Promise<PartsResult> {
    this.#close();
    return WHEN_DONE;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  take(): PartsResult | Arrival {
    try {
      if (this.#failure !== undefined) throw this.#failure.error;
      if (this.#isOver) return DONE;
      if (this.#response === undefined) return this.#ask();
      const { reply, answer } = this.#response;
      for (;;) {
        const piece = reply.read();
        if (piece instanceof Arrival) return piece;
        if (piece === undefined) {
          this.#isOver = true;
          return { done: false, value: answer.end(), isLast: true };
        }
        if (piece.length > 0) this.#read(answer, piece);
        const parts = this.#parts;
        this.#failure = this.#partsFailure;
        this.#parts = [];
        this.#isOver = answer.done;
        // Called before the last parts are read, since the reader may stop after the finish part.
        if (answer.done) reply.discardBody();
        if (parts.length > 0) {
          const value = parts.length > APART_MAX ? joinTexts(parts) : parts;
          return this.#isOver && this.#failure === undefined
            ? { done: false, value, isLast: true }
            : { done: false, value };
        }
        if (this.#failure !== undefined) throw this.#failure.error;
        if (answer.done) return DONE;
      }
    } catch (error) {
      const isAnswered = this.#response !== undefined;
      this.#close();
      throw this.#toFailure(error, isAnswered);
    }
  }

  /** Sends the request and waits for the head of the response. */
  #ask(): Arrival {
    const { keys, credential } = this.#call.model;
    if (keys !== undefined) return this.#await(sendWithKeys(this.#adapterDeps, this.#call, keys));
    if (cloudCredentialOf(credential) !== undefined)
      return this.#await(sendRequest(this.#adapterDeps, this.#call, credential));
    const message = this.#adapterDeps.format.request(this.#call, credential);
    // Only a format that signs is asynchronous.
    if (message instanceof Promise) return this.#await(sendMessage(this.#adapterDeps, this.#call, credential, message));
    this.#isStreamed = message.streaming;
    this.#adapterDeps.dialer.send(message, this);
    return this.#headArrival;
  }

  get signal(): CancelSignal {
    return this.#call.signal;
  }

  get traceHeaders(): DialCall["traceHeaders"] {
    return this.#call.traceHeaders;
  }

  get mayDialPrivate(): boolean {
    return this.#call.model.mayDialPrivate;
  }

  get limits(): CallLimits {
    return limitsOf(this.#call.model, this.#isStreamed);
  }

  onReply(reply: DialResponse): void {
    try {
      const { credential } = this.#call.model;
      const response = acceptReply(this.#adapterDeps, this.#call, credential, reply, this.#isStreamed);
      if (response instanceof Promise) {
        this.#await(response);
        return;
      }
      this.#accept(response);
    } catch (error) {
      this.#failure = { error };
    }
    this.#headArrival.come();
  }

  onBytes(bytes: Buffer): boolean {
    const answer = this.#response?.answer;
    if (answer === undefined) return true;
    this.#read(answer, bytes);
    return this.#parts.length > 0 || this.#partsFailure !== undefined || answer.done;
  }

  #read(answer: AnswerReader, bytes: Buffer): void {
    if (answer.done || this.#partsFailure !== undefined) return;
    try {
      answer.push(bytes, this.#parts);
    } catch (error) {
      this.#partsFailure = { error };
    }
  }

  onFailure(error: unknown): void {
    this.#failure = { error };
    this.#headArrival.come();
  }

  #await(responding: Promise<AnsweringResponse>): Arrival {
    responding.then(
      (response) => {
        this.#accept(response);
        this.#headArrival.come();
      },
      (error: unknown) => this.onFailure(error),
    );
    return this.#headArrival;
  }

  #accept(response: AnsweringResponse): void {
    this.#response = response;
    // The reader may have left in the meantime.
    if (this.#isOver) response.reply.cancel();
  }

  #close(): void {
    this.#isOver = true;
    this.#failure = undefined;
    this.#response?.reply.cancel();
  }

  #toFailure(error: unknown, isAnswered: boolean): unknown {
    const failure = error instanceof DialFailure ? fromDialFailure(error) : error;
    // An error within an answer concerns only the key that was used for it.
    const { keys, ownKey } = this.#call.model;
    const isOfOneKey = isAnswered && (ownKey === true || (keys?.length ?? 1) > 1);
    return isOfOneKey && failure instanceof ProviderFailure && failure.outage !== undefined
      ? withoutOutage(failure)
      : failure;
  }
}

/** A response whose head is that of an answer, and the reader of its body. */
interface AnsweringResponse {
  readonly reply: DialResponse;
  readonly answer: AnswerReader;
}

/** Tries one key after the other, as long as the failure is about the key. No part was yielded by then. */
async function sendWithKeys(
  adapterDeps: AdapterDeps,
  call: ProviderCall,
  keys: readonly Secret[],
): Promise<AnsweringResponse> {
  const { rotation } = adapterDeps;
  const { model } = call;
  // Accounts can fix their own keys at any moment: these are never paused.
  const candidates = model.ownKey === true ? keys : rotation.keysFor(model, keys);
  let last: unknown;
  for (const key of candidates) {
    const isLast = key === candidates.at(-1);
    // A key that reports a limit is paused by itself; the provider is paused only where there is no other key.
    const onPause = isLast
      ? call.onPause
      : (seconds: number) => rotation.coolDown(model, key, "rate-limited", seconds * 1_000);
    try {
      return await sendRequest(adapterDeps, changed(call, { onPause }), key);
    } catch (error) {
      if (!isKeyFailure(error)) throw error;
      last = model.ownKey === true ? asOwnKeyFailure(error) : error;
      if (model.ownKey === true) continue;
      const cooldown = rotation.onFailure(model, keys, key, error);
      if (cooldown !== undefined) call.onKeyCooldown?.(cooldown);
      if (!rotation.areAllRefused(model, keys)) last = withoutOutage(error);
    }
  }
  throw last;
}

/** The same call with something else of it: what it reports with may not be its own, which a spread would leave out. */
function changed(call: ProviderCall, changes: Partial<ProviderCall>): ProviderCall {
  const { model, inference, requestId, signal, traceHeaders } = call;
  const { onUnsupported, onPause, onRemainingCalls, onKeyCooldown } = call;
  const reports = { onUnsupported, onPause, onRemainingCalls, onKeyCooldown };
  return { model, inference, requestId, signal, traceHeaders, ...reports, ...changes };
}

/** The endpoint is not out of service as long as one of several keys may recover by itself. */
function withoutOutage({ kind, reason, said, retryAfterSeconds }: ProviderFailure): ProviderFailure {
  return new ProviderFailure(kind, reason, { said, retryAfterSeconds });
}

function isKeyFailure(error: unknown): error is ProviderFailure {
  return error instanceof ProviderFailure && (error.kind === "refused" || error.kind === "rate-limited");
}

/** Says that it was the account's own key: only its owner can fix it, at any moment, so it is no outage. */
function asOwnKeyFailure({ kind, said, retryAfterSeconds }: ProviderFailure): ProviderFailure {
  const reason =
    kind === "refused"
      ? "refused your own key for it, which is stored under Provider keys"
      : "gets too many requests under your own key for it";
  return new ProviderFailure(kind, reason, { said, retryAfterSeconds });
}

/** Sends the request and waits for the response head. Throws on an error status. */
async function sendRequest(
  adapterDeps: AdapterDeps,
  call: ProviderCall,
  credential: Secret | undefined,
): Promise<AnsweringResponse> {
  const cloud = cloudCredentialOf(credential);
  if (cloud !== undefined)
    return sendAsCloud(adapterDeps, changed(call, { model: cloud.place(call.model) }), cloud, true);
  return sendMessage(adapterDeps, call, credential, adapterDeps.format.request(call, credential));
}

async function sendMessage(
  adapterDeps: AdapterDeps,
  call: ProviderCall,
  credential: Secret | undefined,
  written: WireRequest | Promise<WireRequest>,
): Promise<AnsweringResponse> {
  const message = await written;
  const reply = await post(adapterDeps, call, message);
  return acceptReply(adapterDeps, call, credential, reply, message.streaming);
}

/** Sends a request with an access token. One that is refused may have been revoked: another one is tried once. */
async function sendAsCloud(
  adapterDeps: AdapterDeps,
  call: ProviderCall,
  cloud: CloudCredential,
  mayRetry: boolean,
): Promise<AnsweringResponse> {
  const { dialer, clock, format } = adapterDeps;
  const { mayDialPrivate, ownKey } = call.model;
  const isOperators = mayDialPrivate && ownKey !== true;
  const token = await sentCredentialOf(cloud, { dialer, clock, isOperators });
  call.signal.throwIfAborted();
  const message = await format.request(call, token);
  const reply = await post(adapterDeps, call, message);
  if (reply.status === 401 && forgetToken(cloud, token) && mayRetry) {
    reply.discardBody();
    return sendAsCloud(adapterDeps, call, cloud, false);
  }
  return acceptReply(adapterDeps, call, token, reply, message.streaming);
}

function post(
  { dialer }: AdapterDeps,
  { model, signal, traceHeaders }: ProviderCall,
  { url, headers, body, bodyBytes, streaming }: WireRequest,
): Promise<DialResponse> {
  const { mayDialPrivate } = model;
  const limits = limitsOf(model, streaming);
  return dialer.post({ url, headers, traceHeaders, body, bodyBytes, mayDialPrivate, limits }, signal);
}

/** Reads the response head. Returns a promise, which rejects, only where the status is that of an error. */
function acceptReply(
  { format, clock }: AdapterDeps,
  call: ProviderCall,
  credential: Secret | undefined,
  reply: DialResponse,
  streaming: boolean,
): AnsweringResponse | Promise<never> {
  const { model } = call;
  const nowMs = clock.now();
  const state =
    format.limitsOf === undefined ? readRateLimit(reply.headers, nowMs) : format.limitsOf(reply.headers, nowMs);
  const pause = state?.pauseSeconds;
  if (reply.status < 200 || reply.status > 299)
    return readProviderError(reply, format, credential, clock.now(), pause).then(throwFailure);
  if (pause !== undefined) call.onPause?.(pause);
  // A remaining count applies to one key only.
  if (state?.remaining !== undefined && (model.keys?.length ?? 1) === 1)
    call.onRemainingCalls?.(state.remaining.calls, state.remaining.seconds);
  refuseCompression(reply);
  // The response reader masks the credential in errors, so it must know which of several keys was used.
  const keyedCall = credential === model.credential ? call : changed(call, { model: { ...model, credential } });
  return { reply, answer: format.read(keyedCall, { headers: reply.headers, streaming }) };
}

function throwFailure(failure: ProviderFailure): never {
  throw failure;
}

function refuseCompression(reply: DialResponse): void {
  const encoding = reply.headers["content-encoding"]?.trim().toLowerCase() ?? "";
  if (encoding === "" || encoding === "identity") return;
  reply.discardBody();
  throw new ProviderFailure("broken", "sent a compressed answer that was not asked for");
}

/** A call that we ended ourselves says nothing about the endpoint. */
export function fromDialFailure(failure: DialFailure): ProviderFailure {
  const blamesEndpoint = failure.kind !== "aborted";
  return new ProviderFailure(
    KIND_OF_DIAL_FAILURE[failure.kind],
    failure.message,
    { blamesEndpoint },
    { cause: failure },
  );
}
