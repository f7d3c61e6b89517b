import { Fault } from "@trunkline/core/fault.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { RequestTrace } from "@trunkline/core/request-trace.ts";
import { parseStrictJson } from "@trunkline/core/strict-json.ts";
import type { Services } from "../../app/services.ts";
import type { IncomingInference, IncomingRequest } from "../../pipeline/serve.ts";
import type { InferenceEndpoint } from "../endpoints/endpoint.ts";
import type { HttpReply, HttpRequest } from "../endpoints/http-request.ts";
import { readSessionCookie } from "../endpoints/identity/browser-session.ts";
import { type Dialect, trunklineDialect } from "../formats/dialect.ts";
import { bodyTooLargeFault, readBody, readMultipart } from "../requests/read-body.ts";
import { CACHE_HEADER, readCacheHeader } from "../requests/read-routing-options.ts";

/** The client closed its connection. There is no answer to send; the request is still settled. */
export class ClientDisconnected extends Error {
  override readonly name = "ClientDisconnected";
}

/** What is known of a request before its body is read. */
export function toIncomingRequest(
  services: Services,
  request: HttpRequest,
  reply: HttpReply,
  dialect: Dialect = trunklineDialect,
  path = new URL(request.url, "http://local").pathname,
): IncomingRequest {
  return {
    trace: new RequestTrace(request.id, path, services.clock),
    authorization: dialect.authorizationOf(request),
    session: readSessionCookie(services, request),
    address: request.ip,
    idempotencyKey: readIdempotencyKey(request),
    signal: disconnectSignal(services, reply),
  };
}

/** An incoming request whose body is an inference. */
export function toIncomingInference(
  services: Services,
  incomingRequest: IncomingRequest,
  request: HttpRequest,
  endpoint: InferenceEndpoint,
  onBody: (body: unknown) => void,
): IncomingInference {
  const { bodyBytes, attachmentBodyBytes, bodyWaitMs } = services.config.limits;
  return {
    ...incomingRequest,
    async readInference() {
      checkIdempotencyKey(incomingRequest.idempotencyKey);
      const metadata = {
        params: request.params as Record<string, string>,
        query: request.query as Record<string, unknown>,
        headers: request.headers,
      };
      if (endpoint.bodyFormat === "multipart") {
        const form = await readMultipart(request.raw, attachmentBodyBytes, bodyWaitMs);
        onBody(form.fields);
        return {
          inference: withCacheHeader(endpoint.read(form.fields, metadata), request),
          body: form.digest,
        };
      }
      const body = await readBody(request.raw, attachmentBodyBytes, bodyWaitMs);
      // Only attachments may make a body large. The text search refuses a large body without any before it is parsed.
      const isLarge = Buffer.byteLength(body) > bodyBytes;
      const mayBeLarge = endpoint.allowsLargeBody === true;
      if (isLarge && !mayBeLarge && !body.includes('"attachments"')) throw bodyTooLargeFault(bodyBytes);
      const fields = parseStrictJson(body);
      if (isLarge && !mayBeLarge && !hasAttachments(fields)) throw bodyTooLargeFault(bodyBytes);
      onBody(fields);
      // An idempotency key compares requests by this text, so it must contain the path's parameters too.
      const identity =
        Object.values(metadata.params).length === 0 ? body : `${JSON.stringify(metadata.params)}\n${body}`;
      return { inference: withCacheHeader(endpoint.read(fields, metadata), request), body: identity };
    },
  };
}

/** Formats without a cache field in their body can allow a cached answer by a header. */
function withCacheHeader(inference: Inference, { headers }: HttpRequest): Inference {
  const header = headers[CACHE_HEADER];
  if (header === undefined || inference.cache !== undefined) return inference;
  return { ...inference, cache: readCacheHeader(String(header)) };
}

function hasAttachments(fields: unknown): boolean {
  return (
    typeof fields === "object" &&
    fields !== null &&
    "attachments" in fields &&
    Array.isArray(fields.attachments) &&
    fields.attachments.length > 0
  );
}

function readIdempotencyKey(request: HttpRequest): string | undefined {
  const header = request.headers["idempotency-key"];
  return Array.isArray(header) ? header.join(",") : header;
}

function checkIdempotencyKey(key: string | undefined): void {
  if (key === undefined || /^[\x20-\x7e]{1,255}$/.test(key)) return;
  throw new Fault("invalid_request", "`Idempotency-Key` must be 1 to 255 printable ASCII characters.", {
    param: "Idempotency-Key",
  });
}

/** Aborts when the connection closes before the whole answer was sent, or when the service must stop. */
function disconnectSignal(services: Services, reply: HttpReply): AbortSignal {
  const controller = new AbortController();
  services.lifecycle.inFlight.add(controller);
  reply.raw.once("close", () => {
    services.lifecycle.inFlight.delete(controller);
    if (!reply.raw.writableFinished) controller.abort(new ClientDisconnected("The client hung up."));
  });
  return controller.signal;
}
