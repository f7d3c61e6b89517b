import { Fault } from "@trunkline/core/fault.ts";
import { DialFailure, type DialLimits } from "@trunkline/providers/dialer/dial-request.ts";
import type { Dialer } from "@trunkline/providers/dialer/dialer.ts";

const TIMEOUT_MS = 10_000;
const RESPONSE_BYTES_MAX = 1024 * 1024;

const LIMITS: DialLimits = {
  connectMs: TIMEOUT_MS,
  firstByteMs: TIMEOUT_MS,
  silenceMs: TIMEOUT_MS,
  wholeMs: TIMEOUT_MS,
  responseBytes: RESPONSE_BYTES_MAX,
  chunkBytes: RESPONSE_BYTES_MAX,
};

/** What the libraries for OpenID Connect send by. They use GET and POST only. */
export type IssuerFetch = (
  url: string,
  options: {
    readonly method: string;
    readonly headers: Headers | Record<string, string>;
    readonly body?: unknown;
    readonly signal?: AbortSignal | undefined;
  },
) => Promise<Response>;

/** Reaches issuers through the dialer. Only those that the operator has named may be at private addresses or without TLS. */
export class IssuerClient {
  readonly #dialer: Dialer;
  readonly #privateIssuers: ReadonlySet<string>;

  constructor(dialer: Dialer, privateIssuers: readonly string[]) {
    this.#dialer = dialer;
    this.#privateIssuers = new Set(privateIssuers.map(withoutSlash));
  }

  isPrivate(issuer: string): boolean {
    return this.#privateIssuers.has(withoutSlash(issuer));
  }

  fetchFor(issuer: string): IssuerFetch {
    const mayDialPrivate = this.isPrivate(issuer);
    return async (url, { method, headers, body, signal = new AbortController().signal }) => {
      const request = { url, headers: Object.fromEntries(new Headers(headers)), mayDialPrivate, limits: LIMITS };
      const response =
        method === "GET"
          ? await this.#dialer.get(request, signal)
          : await this.#dialer.post({ ...request, body: bodyText(body) }, signal);
      const pieces: Buffer[] = [];
      for await (const piece of response.body) pieces.push(piece);
      const sent = new Headers();
      for (const [name, value] of Object.entries(response.headers)) if (value !== undefined) sent.set(name, value);
      const isEmpty = response.status === 204 || response.status === 304;
      return new Response(isEmpty ? null : new Uint8Array(Buffer.concat(pieces)), {
        status: response.status,
        headers: sent,
      });
    };
  }
}

/** The libraries send forms, or nothing. */
function bodyText(body: unknown): string {
  if (body instanceof URLSearchParams) return body.toString();
  return typeof body === "string" ? body : "";
}

function withoutSlash(issuer: string): string {
  return issuer.replace(/\/$/, "");
}

/** Why an issuer's answer can't be used, in words for the person who set it up. Never what the answer held. */
export function describeIssuerFailure(error: unknown): string {
  for (let cause: unknown = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth++) {
    if (cause instanceof DialFailure) return cause.message;
    if (cause instanceof Fault) return cause.message;
  }
  return error instanceof Error ? error.message : "unknown";
}
