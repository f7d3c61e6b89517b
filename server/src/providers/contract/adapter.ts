import type { Part } from "../../domain/answer.ts";
import { ProviderFailure } from "../../domain/attempt.ts";
import type { Model } from "../../domain/model.ts";
import { type Clock, systemClock } from "../../kit/clock.ts";
import { DialFailure, type DialFailureKind } from "../../kit/dial-failure.ts";
import type { DialReply } from "../../kit/dial-order.ts";
import type { Dialer } from "../../kit/dialer.ts";
import type { Adapter, ProviderCall } from "../adapter.ts";
import { JsonFrames } from "./json-frames.ts";
import { failureOf, isRejection, wordsOf } from "./refusal.ts";
import { toContractRequest } from "./request.ts";
import { AnswerReader } from "./response.ts";
import { parseRetryAfter } from "./retry-after.ts";

/** How much of an error's body is read to find its words. */
const ERROR_BYTES_MAX = 64 * 1024;

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

/** Talks to providers that keep our own contract: a POST with input and parameters, answered whole or in a stream. */
export function contractAdapter(dialer: Dialer, clock: Clock = systemClock): Adapter {
  return { call: (call) => callProvider(dialer, clock, call) };
}

async function* callProvider(dialer: Dialer, clock: Clock, call: ProviderCall): AsyncGenerator<Part, void> {
  const { model, signal } = call;
  const { headers, body, streaming } = toContractRequest(call);
  try {
    const order = {
      url: model.endpoint,
      headers,
      body,
      mayDialPrivate: model.mayDialPrivate,
      limits: model.limits,
    };
    const reply = await dialer.post(order, signal);
    if (reply.status < 200 || reply.status > 299) throw await readRefusal(reply, model, clock.now());
    refuseCompression(reply);
    yield* readAnswer(reply, model, streaming);
  } catch (error) {
    throw error instanceof DialFailure ? fromDialFailure(error) : error;
  }
}

async function* readAnswer(reply: DialReply, model: Model, streaming: boolean): AsyncGenerator<Part, void> {
  const { chunkBytes, responseBytes } = model.limits;
  // A whole answer is no chunk: a picture inside it may take all that a response may take.
  const frames = new JsonFrames(streaming ? chunkBytes : responseBytes);
  const answer = new AnswerReader(model);
  for await (const piece of reply.body) {
    for (const frame of frames.push(piece)) {
      const parts = answer.take(frame);
      // Told before the last parts go out, as whoever reads them may not come back after the finish.
      if (answer.done) reply.leave();
      yield* parts;
      if (answer.done) return;
    }
  }
  frames.end();
  yield* answer.end();
}

async function readRefusal(reply: DialReply, model: Model, now: number): Promise<ProviderFailure> {
  const { status } = reply;
  return failureOf({
    code: status,
    said: `answered with status ${status}`,
    words: await readWords(reply, model),
    retryAfterSeconds: parseRetryAfter(reply.headers["retry-after"], now),
  });
}

/** The provider's own words, where they are of use: when it says what is wrong with the request. */
async function readWords(reply: DialReply, model: Model): Promise<string | undefined> {
  if (!isRejection(reply.status)) {
    reply.leave();
    return undefined;
  }
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of reply.body) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > ERROR_BYTES_MAX) return undefined;
  }
  try {
    const body: unknown = JSON.parse(Buffer.concat(pieces).toString("utf8"));
    return typeof body === "object" && body !== null && "error" in body
      ? wordsOf(body.error, model.credential)
      : undefined;
  } catch {
    // The status says enough; a page in HTML would add nothing that may be shown.
    return undefined;
  }
}

function refuseCompression(reply: DialReply): void {
  const encoding = reply.headers["content-encoding"]?.trim().toLowerCase() ?? "";
  if (encoding === "" || encoding === "identity") return;
  reply.leave();
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
