import { setTimeout as wait } from "node:timers/promises";
import type { Clock } from "@trunkline/core/clock.ts";
import { newId } from "@trunkline/core/id.ts";
import { isObject } from "@trunkline/core/json-object.ts";
import type { AuthType, CallLimits, ModelType } from "@trunkline/core/model.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import type { DialLimits, DialResponse } from "../dialer/dial-request.ts";
import type { Dialer } from "../dialer/dialer.ts";
import { errorMessageOf } from "../http/provider-error.ts";
import { parseRetryAfter } from "../http/rate-limit.ts";
import { limitsForChecks, type TestRequest } from "./test-requests.ts";

/** An endpoint and its registration. */
export interface ConformanceTarget {
  readonly endpoint: string;
  readonly authType: AuthType;
  readonly credential: Secret | undefined;
  readonly type: ModelType;
  readonly streaming: boolean;
  readonly mayDialPrivate: boolean;
  readonly limits: CallLimits;
}

/** A whole response of the endpoint, whatever it is. */
export interface Answer {
  readonly status: number;
  readonly contentType: string | undefined;
  /** undefined where the body is not compressed. */
  readonly compression: string | undefined;
  readonly bytes: Buffer;
  /** The body as JSON; undefined where it is none. */
  readonly json: unknown;
  /** Its error message, safe to show. */
  readonly errorMessage: string | undefined;
  /** From sending to the last byte. */
  readonly ms: number;
}

/** The body as JSON, or undefined. Bytes that are not UTF-8 are not JSON. */
function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** The endpoint's own text in quotation marks, shortened and without terminal control characters. */
export function quote(text: string): string {
  return `“${errorMessageOf(text, undefined) ?? ""}”`;
}

/** The type of a JSON value, as a phrase. */
export function jsonTypeOf(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Why a response is not the expected JSON object with status 200; undefined where it is. */
export function answerProblem(answer: Answer): string | undefined {
  const { status, json } = answer;
  const words = answer.errorMessage === undefined ? "" : ` and said “${answer.errorMessage}”`;
  if (status >= 300 && status < 400) {
    return `it answered ${status}, a redirect. Redirects are never followed: give the final address`;
  }
  if (status === 401 || status === 403) {
    return `it refused the credential with ${status}${words}. Check the key and the way it is sent`;
  }
  if (status !== 200) return `it answered ${status}${words}, where 200 was expected`;
  if (answer.compression !== undefined) {
    return `it sent an answer compressed by ${quote(answer.compression)}, which was not asked for`;
  }
  if (json === undefined) return "it answered 200 with a body that is not valid JSON in UTF-8";
  if (!isObject(json)) return `it answered 200 with ${jsonTypeOf(json)}, where a JSON object was expected`;
  return undefined;
}

/** What is wrong with the form of an error; undefined where it is `{"error": {"message": text, "code": number}}`. */
export function errorShapeProblem(answer: Answer): string | undefined {
  const { json } = answer;
  if (!isObject(json)) return "its body is not a JSON object";
  if (!isObject(json.error)) return `\`error\` is ${jsonTypeOf(json.error)}`;
  const { message, code } = json.error;
  if (typeof message !== "string" || message === "") {
    return `\`error.message\` is ${message === "" ? "empty" : jsonTypeOf(message)}`;
  }
  return typeof code === "number" ? undefined : `\`error.code\` is ${jsonTypeOf(code)}`;
}

const ACCEPT_STREAM = "application/x-ndjson, text/event-stream, application/json";
const RETRY_WAIT_MS_MAX = 5_000;

/** Sends the requests of all checks of one endpoint. */
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

  /** Sends a request and reads the whole response. Retries once where the endpoint asks to retry later. */
  async send(testRequest: TestRequest, credential: Secret | undefined = this.target.credential): Promise<Answer> {
    const first = await this.#read(testRequest, credential);
    if (first.answer.status !== 429) return first.answer;
    const seconds = parseRetryAfter(first.retryAfter, this.#clock.now()) ?? 1;
    await wait(Math.min(seconds * 1_000, RETRY_WAIT_MS_MAX), undefined, { signal: this.#signal });
    return (await this.#read(testRequest, credential)).answer;
  }

  /** Sends a request and reads the whole response, even where it asks to retry later. */
  async sendOnce(testRequest: TestRequest): Promise<Answer> {
    return (await this.#read(testRequest, this.target.credential)).answer;
  }

  /** Sends a request and leaves reading to the caller: stopping in the middle disconnects. */
  async open(testRequest: TestRequest, credential: Secret | undefined = this.target.credential): Promise<DialResponse> {
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
