import { setTimeout as wait } from "node:timers/promises";
import type { Clock } from "@trunkline/core/clock.ts";
import { newId } from "@trunkline/core/id.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import type { DialLimits, DialResponse } from "../dialer/dial-order.ts";
import type { Dialer } from "../dialer/dialer.ts";
import { isObject } from "../http/json-object.ts";
import { errorMessageOf } from "../http/provider-error.ts";
import { parseRetryAfter } from "../http/retry-after.ts";
import { type Answer, parseJson } from "./answer.ts";
import type { TestRequest } from "./order.ts";
import { limitsForChecks } from "./patience.ts";
import type { ConformanceTarget } from "./target.ts";

const ACCEPT_STREAM = "application/x-ndjson, text/event-stream, application/json";
const RETRY_WAIT_MS_MAX = 5_000;

/** One visit to an endpoint, by which every check asks its questions. */
export class EndpointClient {
  readonly target: ConformanceTarget;
  readonly #dialer: Dialer;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #limits: DialLimits;

  constructor(dialer: Dialer, target: ConformanceTarget, clock: Clock, signal: AbortSignal) {
    this.target = target;
    this.#dialer = dialer;
    this.#clock = clock;
    this.#signal = signal;
    this.#limits = limitsForChecks(target.limits, target.type);
  }

  /** Asks and reads the whole answer. An endpoint that wants to be left alone for a moment is, once. */
  async send(
    testRequest: TestRequest,
    credential: Secret | undefined = this.target.credential,
  ): Promise<Answer> {
    const first = await this.#read(testRequest, credential);
    if (first.answer.status !== 429) return first.answer;
    const seconds = parseRetryAfter(first.retryAfter, this.#clock.now()) ?? 1;
    await wait(Math.min(seconds * 1_000, RETRY_WAIT_MS_MAX), undefined, { signal: this.#signal });
    return (await this.#read(testRequest, credential)).answer;
  }

  /** Asks and reads the whole answer, even where it is a request to come later. */
  async sendOnce(testRequest: TestRequest): Promise<Answer> {
    return (await this.#read(testRequest, this.target.credential)).answer;
  }

  /** Asks, and leaves the reading to the caller: who stops in the middle hangs up. */
  async open(
    testRequest: TestRequest,
    credential: Secret | undefined = this.target.credential,
  ): Promise<DialResponse> {
    const dialOrder = {
      url: this.target.endpoint,
      headers: {
        "content-type": "application/json",
        accept: testRequest.streaming ? ACCEPT_STREAM : "application/json",
        "x-request-id": newId(),
        ...this.#authenticate(credential),
      },
      body: testRequest.body,
      mayDialPrivate: this.target.mayDialPrivate,
      limits: this.#limits,
    };
    return await this.#dialer.post(dialOrder, this.#signal);
  }

  async #read(testRequest: TestRequest, credential: Secret | undefined) {
    const startedMs = this.#clock.monotonicMs();
    const { status, headers, body } = await this.open(testRequest, credential);
    const chunks: Buffer[] = [];
    for await (const chunk of body) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const json = parseJson(bytes);
    const answer: Answer = {
      status,
      contentType: headers["content-type"],
      compression: headers["content-encoding"]?.replace(/^\s*(identity)?\s*$/i, "") || undefined,
      bytes,
      json,
      errorMessage: isObject(json) ? errorMessageOf(json.error, credential) : undefined,
      ms: this.#clock.monotonicMs() - startedMs,
    };
    return { answer, retryAfter: headers["retry-after"] };
  }

  #authenticate(credential: Secret | undefined): Record<string, string> {
    if (credential === undefined || this.target.authType === "none") return {};
    return this.target.authType === "bearer"
      ? { authorization: `Bearer ${credential.reveal()}` }
      : { "x-api-key": credential.reveal() };
  }
}
