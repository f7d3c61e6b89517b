import { Fault } from "@trunkline/core/fault.ts";
import { faultFromSchemaError } from "@trunkline/core/field-schemas.ts";
import type { Services } from "../../app/services.ts";
import { admit } from "../../pipeline/serve.ts";
import { recordAuditEvent } from "../endpoints/audit.ts";
import { type ControlEndpoint, type Endpoint, type PublicEndpoint, Reply } from "../endpoints/endpoint.ts";
import type { HttpReply, HttpRequest } from "../endpoints/http-request.ts";
import { isSameOrigin } from "../endpoints/identity/browser-session.ts";
import { parseJsonBody } from "../requests/parse-json-body.ts";
import { LARGE_TEXT_LENGTH, parseLargeJson } from "../requests/parse-large-json.ts";
import { readBody, readBytes } from "../requests/read-body.ts";
import { dialectForUrl } from "./dialect-for-url.ts";
import { HttpExchange } from "./incoming-request.ts";
import { sendFault, sendReply } from "./send-reply.ts";
import { serveInferenceAt } from "./serve-inference.ts";

/** The handler of an endpoint. */
export function serveEndpoint(services: Services, endpoint: Endpoint) {
  const { backgroundWork } = services.lifecycle;
  if (endpoint.kind === "inference") return serveInferenceAt(services, endpoint);
  // A client that disconnects closes its connection before the request is settled, so shutdown must wait for the handler.
  return (request: HttpRequest, reply: HttpReply): Promise<void> =>
    backgroundWork.track(serveOperation(new HttpExchange(services, request, reply, endpoint.path), endpoint));
}

/** A handler that only refuses. On paths that need a key, an unauthenticated client learns only that. */
export function serveFault(services: Services, faultFor: (request: HttpRequest) => Fault) {
  return async (request: HttpRequest, reply: HttpReply): Promise<void> => {
    const dialect = dialectForUrl(request.url);
    const exchange = new HttpExchange(services, request, reply);
    try {
      if (dialect !== undefined) await admit(services, exchange, undefined);
      throw faultFor(request);
    } catch (error) {
      sendFault(exchange, error, dialect);
    }
  };
}

async function serveOperation(exchange: HttpExchange, endpoint: ControlEndpoint | PublicEndpoint): Promise<void> {
  const { admissionQueue } = exchange.services.limits;
  admissionQueue.operations += 1;
  try {
    if (endpoint.kind === "control") await serveControl(exchange, endpoint);
    else await servePublic(exchange, endpoint);
  } catch (error) {
    sendFault(exchange, error, endpoint.dialect);
  } finally {
    admissionQueue.operations -= 1;
    exchange.services.observeRequest(exchange.trace, exchange.reply.raw.statusCode, exchange.request);
  }
}

async function serveControl(exchange: HttpExchange, endpoint: ControlEndpoint): Promise<void> {
  const { services, request } = exchange;
  const params = request.params as Record<string, string>;
  const caller = await admit(services, exchange, ({ person }) =>
    endpoint.ownPermission !== undefined && person?.id === params.id ? endpoint.ownPermission : endpoint.permission,
  );
  services.limits.admissionQueue.requireOperationPlace();
  const operationContext = {
    services: services.forAccount?.(caller.accountId) ?? services,
    caller,
    request,
    signal: exchange.cancellation.signal,
    incomingRequest: exchange,
    countBytes: (bytes: number) => exchange.countBytes(bytes),
    params,
    query: endpoint.query === undefined ? undefined : parseWithSchema(endpoint.query, request.query),
    body: await readControlBody(exchange, endpoint),
  };
  const result = await endpoint.handle(operationContext);
  await recordAuditEvent(endpoint, operationContext, result);
  sendReply(exchange, result instanceof Reply ? result : new Reply(endpoint.status, result));
}

/** These need no key, but a page of another site must not call them, for example to log a visitor in as another person. */
async function servePublic(exchange: HttpExchange, endpoint: PublicEndpoint): Promise<void> {
  const { services, request } = exchange;
  if (request.headers.origin !== undefined && !isSameOrigin(services, request)) {
    throw new Fault("cross_site", "A page of another site asked for this. Open the dashboard itself.");
  }
  services.limits.admissionQueue.requireOperationPlace();
  const result = await endpoint.handle({
    services,
    request,
    body: await readControlBody(exchange, endpoint),
  });
  sendReply(exchange, result instanceof Reply ? result : new Reply(endpoint.status, result));
}

/** Unauthenticated clients may send no more than our own pages need; a passkey's attestation is the largest body. */
const PUBLIC_BODY_BYTES_MAX = 64 * 1024;
/** Signed events of other services are larger. */
const RAW_BODY_BYTES_MAX = 256 * 1024;

async function readControlBody(exchange: HttpExchange, endpoint: ControlEndpoint | PublicEndpoint): Promise<unknown> {
  if (endpoint.body === undefined) return undefined;
  const { services, request } = exchange;
  const { bodyBytes, attachmentBodyBytes, bodyWaitMs } = services.config.limits;
  const isAbsent =
    request.headers["content-length"] === "0" ||
    !(request.headers["content-length"] || request.headers["transfer-encoding"]);
  if (endpoint.bodyOptional === true && isAbsent) return {};
  const knownBytes = endpoint.allowsLargeBody === true ? attachmentBodyBytes : bodyBytes;
  const isRaw = endpoint.kind === "open" && endpoint.rawBody === true;
  const publicBytes = Math.min(bodyBytes, isRaw ? RAW_BODY_BYTES_MAX : PUBLIC_BODY_BYTES_MAX);
  if (endpoint.kind === "open" && endpoint.acceptsForm === true && isForm(request)) {
    const bytes = await readBytes(request.raw, publicBytes, bodyWaitMs, exchange);
    return parseWithSchema(endpoint.body, Object.fromEntries(new URLSearchParams(bytes.toString("utf8"))));
  }
  const text = await readBody(request.raw, endpoint.kind === "open" ? publicBytes : knownBytes, bodyWaitMs, exchange);
  if (isRaw) return text;
  const body = text.length > LARGE_TEXT_LENGTH ? await parseLargeJson(text) : parseJsonBody(text);
  return endpoint.skipBodyValidation === true ? body : parseWithSchema(endpoint.body, body);
}

function isForm({ headers }: HttpRequest): boolean {
  return /^application\/x-www-form-urlencoded *(;|$)/i.test(headers["content-type"] ?? "");
}

function parseWithSchema(schema: NonNullable<Endpoint["body"]>, value: unknown): unknown {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (!parsed.success) throw faultFromSchemaError(parsed.error);
  return parsed.data;
}
