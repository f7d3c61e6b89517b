import type { Adapter, ProviderCall } from "@trunkline/core/adapter.ts";
import { type Clock, systemClock } from "@trunkline/core/clock.ts";
import { KeyRotation } from "@trunkline/core/key-rotation.ts";
import type { Part } from "@trunkline/core/parts.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import { DialFailure, type DialFailureKind, type DialResponse } from "../dialer/dial-request.ts";
import type { Dialer } from "../dialer/dialer.ts";
import { sanitiseMessage, toProviderFailure } from "./provider-error.ts";
import { parseRetryAfter, readRateLimit } from "./rate-limit.ts";
import type { AnswerReader, WireFormat } from "./wire-format.ts";

/** How much of an error's body is read to find its words. */
const ERROR_BYTES_MAX = 64 * 1024;
/** How long it is waited for. */
const ERROR_WAIT_MS = 500;

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

/** Talks to every provider that is reached over HTTP, each in its own format. */
export function httpAdapter(dialer: Dialer, format: WireFormat, clock: Clock = systemClock): Adapter {
  const line = { dialer, format, clock, turns: new KeyRotation(clock) };
  return { call: (call) => callProvider(line, call) };
}

interface AdapterDeps {
  readonly dialer: Dialer;
  readonly format: WireFormat;
  readonly clock: Clock;
  readonly turns: KeyRotation;
}

async function* callProvider(adapterDeps: AdapterDeps, call: ProviderCall): AsyncGenerator<Part, void> {
  const { keys, credential, ownKey } = call.model;
  let isAnswered = false;
  try {
    const { reply, answer } = await (keys === undefined
      ? sendRequest(adapterDeps, call, credential)
      : sendWithKeys(adapterDeps, call, keys));
    isAnswered = true;
    yield* readAnswer(reply, answer);
  } catch (error) {
    const failure = error instanceof DialFailure ? fromDialFailure(error) : error;
    // What is said within an answer is about the key alone that was shown for it.
    const isOfOneKey = isAnswered && (ownKey === true || (keys?.length ?? 1) > 1);
    throw isOfOneKey && failure instanceof ProviderFailure && failure.outage !== undefined
      ? withoutOutage(failure)
      : failure;
  }
}

/** Asks with one key after the other, as long as it is the key that is refused. Nothing was given out by then. */
async function sendWithKeys(
  adapterDeps: AdapterDeps,
  call: ProviderCall,
  keys: readonly Secret[],
): ReturnType<typeof sendRequest> {
  const { turns } = adapterDeps;
  const { model } = call;
  // What accounts bring along is theirs to mend at any moment: such keys never rest.
  const inTurn = model.ownKey === true ? keys : turns.keysFor(model, keys);
  let last: unknown;
  for (const key of inTurn) {
    const isLast = key === inTurn.at(-1);
    // A key that will be busy in a moment rests; the provider is paused only where there is no other.
    const onPause = isLast
      ? call.onPause
      : (seconds: number) => turns.coolDown(model, key, "rate-limited", seconds * 1_000);
    try {
      return await sendRequest(adapterDeps, { ...call, onPause }, key);
    } catch (error) {
      if (!isKeyFailure(error)) throw error;
      last = model.ownKey === true ? asOwnKeyFailure(error) : error;
      if (model.ownKey === true) continue;
      const rest = turns.onFailure(model, keys, key, error);
      if (rest !== undefined) call.onKeyCooldown?.(rest);
      if (!turns.areAllRefused(model, keys)) last = withoutOutage(error);
    }
  }
  throw last;
}

/** As long as one of several keys may be good again by itself, so may the endpoint. */
function withoutOutage({ kind, reason, said, retryAfterSeconds }: ProviderFailure): ProviderFailure {
  return new ProviderFailure(kind, reason, { said, retryAfterSeconds });
}

function isKeyFailure(error: unknown): error is ProviderFailure {
  return error instanceof ProviderFailure && (error.kind === "refused" || error.kind === "rate-limited");
}

/** Says plainly whose key it was: only its owner can do something about it, at any moment, so that it is no outage. */
function asOwnKeyFailure({ kind, said, retryAfterSeconds }: ProviderFailure): ProviderFailure {
  const reason =
    kind === "refused"
      ? "refused your own key for it, which is stored under Provider keys"
      : "gets too many requests under your own key for it";
  return new ProviderFailure(kind, reason, { said, retryAfterSeconds });
}

/** Sends the request and waits for the head of the answer. Throws where that is an error. */
async function sendRequest(
  { dialer, format, clock }: AdapterDeps,
  call: ProviderCall,
  credential: Secret | undefined,
): Promise<{ reply: DialResponse; answer: AnswerReader }> {
  const { model, signal } = call;
  const asked = format.request(call, credential);
  // Only a format that signs takes its time; nobody else waits for another turn of the loop.
  const { url, headers, body, streaming } = asked instanceof Promise ? await asked : asked;
  const { mayDialPrivate, limits } = model;
  const reply = await dialer.post({ url, headers, body, mayDialPrivate, limits }, signal);
  const nowMs = clock.now();
  const state =
    format.limitsOf === undefined ? readRateLimit(reply.headers, nowMs) : format.limitsOf(reply.headers, nowMs);
  const pause = state?.pauseSeconds;
  if (reply.status < 200 || reply.status > 299)
    throw await readProviderError(reply, format, credential, clock.now(), pause);
  if (pause !== undefined) call.onPause?.(pause);
  // One of several keys knows only of itself.
  if (state?.room !== undefined && (model.keys?.length ?? 1) === 1)
    call.onRemainingCalls?.(state.room.calls, state.room.seconds);
  refuseCompression(reply);
  // Whoever reads the answer must know which of several keys it may not repeat.
  const shown = { ...call, model: { ...model, credential } };
  return { reply, answer: format.read(shown, { headers: reply.headers, streaming }) };
}

async function* readAnswer(reply: DialResponse, answer: AnswerReader): AsyncGenerator<Part, void> {
  for await (const piece of reply.body) {
    for (const part of answer.push(piece)) {
      // Told before the last parts go out, as whoever reads them may not come back after the finish.
      if (answer.done) reply.discardBody();
      yield part;
    }
    if (answer.done) {
      reply.discardBody();
      return;
    }
  }
  yield* answer.end();
}

async function readProviderError(
  reply: DialResponse,
  format: WireFormat,
  credential: Secret | undefined,
  now: number,
  pauseSeconds: number | undefined,
): Promise<ProviderFailure> {
  const { status } = reply;
  const body = await readErrorBody(reply);
  return toProviderFailure({
    code: format.statusOf?.(body, status) ?? status,
    description: `answered with status ${status}`,
    message: sanitiseMessage(format.errorMessageOf(body), credential),
    retryAfterSeconds:
      parseRetryAfter(reply.headers["retry-after"], now) ?? format.retryAfterOf?.(body) ?? pauseSeconds,
  });
}

/** The body of an error, as far as it comes soon: nobody waits long for words where another model could answer. */
async function readErrorBody(reply: DialResponse): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ERROR_WAIT_MS);
  });
  const body = await Promise.race([readJson(reply), late]);
  clearTimeout(timer);
  reply.discardBody();
  return body;
}

/** What is JSON and not too long; a page in HTML would add nothing that may be shown. */
async function readJson(reply: DialResponse): Promise<unknown> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of reply.body) {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes > ERROR_BYTES_MAX) return undefined;
    }
    return JSON.parse(Buffer.concat(pieces).toString("utf8"));
  } catch {
    // The status says enough, also where the rest of the body never comes.
    return undefined;
  }
}

function refuseCompression(reply: DialResponse): void {
  const encoding = reply.headers["content-encoding"]?.trim().toLowerCase() ?? "";
  if (encoding === "" || encoding === "identity") return;
  reply.discardBody();
  throw new ProviderFailure("broken", "sent a compressed answer that was not asked for");
}

/** A call that was ended from our side says nothing about the endpoint. */
function fromDialFailure(failure: DialFailure): ProviderFailure {
  const blamesEndpoint = failure.kind !== "aborted";
  return new ProviderFailure(
    KIND_OF_DIAL_FAILURE[failure.kind],
    failure.message,
    { blamesEndpoint },
    { cause: failure },
  );
}
