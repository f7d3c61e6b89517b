import { type IncomingMessage, METHODS as METHODS_OF_NODE } from "node:http";
import { Fault } from "@trunkline/core/fault.ts";
import { newId } from "@trunkline/core/id.ts";
import type { FastifyInstance, FastifyRequest, RouteOptions } from "fastify";
import Fastify from "fastify";
import type { Services } from "../../app/services.ts";
import { toErrorResponse, trunklineDialect } from "../formats/dialect.ts";
import { buildOpenApiDocument, PUBLIC_PATHS } from "../openapi/openapi-document.ts";
import { addReferencePage } from "../openapi/reference-page.ts";
import { addDashboard } from "./dashboard.ts";
import { ALL_ENDPOINTS, dialectForUrl } from "./endpoint-registry.ts";
import { createBatchLineRunner } from "./run-batch-line.ts";
import { serveEndpoint, serveFault } from "./serve-endpoint.ts";

/** The HTTP server: every registered operation, the public pages, and one answer for everything else. */
export function createHttpServer(services: Services): FastifyInstance {
  const { headerWaitMs, bodyWaitMs } = services.config.limits;
  const app = Fastify({
    logger: false,
    genReqId: () => newId(services.clock.now()),
    trustProxy: trustProxyOption(services.config.trustProxy),
    requestTimeout: headerWaitMs + bodyWaitMs + 10_000,
    // The `onRequest` hook below refuses a missing Host with an error body of our own.
    http: { headersTimeout: headerWaitMs, connectionsCheckingInterval: 1_000, requireHostHeader: false },
    keepAliveTimeout: 75_000,
    forceCloseConnections: "idle",
    // While the service stops, a request on an open connection is still served, with `connection: close`.
    return503OnClosing: false,
    rewriteUrl: aliasUncommonMethod,
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: 300 },
    frameworkErrors: (error, request, reply) => {
      // A path that can't be decoded never reaches a route.
      const fault = new Fault("invalid_request", "The address can't be read.", {}, { cause: error });
      reply.raw.writeHead(400, {
        "content-type": "application/json; charset=utf-8",
        "x-request-id": request.id,
      });
      reply.raw.end(errorBodyFor(fault, request));
    },
    clientErrorHandler: answerMalformedRequest,
  });
  // The pipeline reads bodies after it has authenticated the caller, so Fastify must not parse them.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
  const refuseMediaType = serveFault(
    services,
    () => new Fault("unsupported_media_type", "Send the body as JSON with `Content-Type: application/json`."),
  );
  app.setErrorHandler(async (error, request, reply) => {
    // A malformed content type never reaches a route. The client must still authenticate before it learns why.
    if (error instanceof Error && "statusCode" in error && error.statusCode === 415) {
      await refuseMediaType(request, reply);
      return;
    }
    services.log.error({ error }, "Unexpected error in the HTTP server.");
    void reply
      .code(500)
      .headers({ "content-type": "application/json; charset=utf-8", "x-request-id": request.id })
      .send(errorBodyFor(new Fault("internal", "Something went wrong on our side."), request));
  });
  app.addHook("onRequest", async (request, reply) => {
    if (request.headers.host !== undefined || request.raw.httpVersion === "1.0") return;
    const fault = new Fault("invalid_request", "An HTTP/1.1 request needs a Host header.");
    reply.code(400).headers({ "content-type": "application/json; charset=utf-8", connection: "close" });
    await reply.send(errorBodyFor(fault, request));
  });
  app.addHook("onSend", async (request, reply) => {
    if (!reply.hasHeader("x-request-id")) reply.header("x-request-id", request.id);
  });
  addVerbConstraint(app);
  for (const endpoint of ALL_ENDPOINTS) {
    const { method, path } = endpoint;
    app.route({ method, ...routeOptionsOf(path), handler: serveEndpoint(services, endpoint) });
  }
  app.addHook("onListen", async () => services.batchWorker.start(createBatchLineRunner(services)));
  app.addHook("preClose", async () => services.batchWorker.stop());
  // Node answers an unknown `Expect` header with 417 and no body. Serve the request as if the header were absent.
  app.server.on("checkExpectation", (request, response) => app.server.emit("request", request, response));
  addMethodNotAllowedRoutes(app, services);
  const openDashboard = addDashboard(app);
  const answerNotFound = serveFault(services, (request) => {
    const path = request.url.split("?")[0]?.slice(0, 200) ?? "";
    return new Fault("not_found", `There is nothing at ${originalMethodOf(request)} ${path}. See /docs.`);
  });
  app.setNotFoundHandler(async (request, reply) => {
    if (openDashboard(request, reply)) return reply;
    return answerNotFound(request, reply);
  });
  addServiceRoutes(app, services);
  addReferencePage(app);
  return app;
}

/** Only the last addresses in `X-Forwarded-For` were written by our own proxies. A client can forge all the others. */
function trustProxyOption(proxies: boolean | number): false | ((address: string, hop: number) => boolean) {
  return proxies === false ? false : (_address, hop) => hop < Number(proxies);
}

let openApiJson: string | undefined;

/** The OpenAPI document, built on the first request: building it would take a good part of the start. */
function openApiText(): string {
  openApiJson ??= JSON.stringify(buildOpenApiDocument(ALL_ENDPOINTS));
  return openApiJson;
}

function addServiceRoutes(app: FastifyInstance, services: Services): void {
  app.get("/healthz", async () => ({ status: "alive" }));
  app.get("/readyz", async (_request, reply) => {
    const ready = await services.isReady();
    if (!ready) void reply.code(503).header("retry-after", "1");
    return { status: ready ? "ready" : "not ready" };
  });
  app.get("/metrics", async (_request, reply) =>
    reply.type(services.metrics.contentType).send(await services.metrics.text()),
  );
  app.get("/openapi.json", async (_request, reply) =>
    reply.type("application/json; charset=utf-8").send(openApiText()),
  );
}

/** Answers bytes that Node could not parse as a request. There is no reply object, so it writes to the socket. */
function answerMalformedRequest(error: NodeJS.ErrnoException, socket: import("node:net").Socket): void {
  if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
  const fault =
    error.code === "ERR_HTTP_REQUEST_TIMEOUT"
      ? new Fault("request_timeout", "The request did not arrive in time. Send it again.")
      : error.code === "HPE_HEADER_OVERFLOW"
        ? new Fault("invalid_request", "The request's headers are too large.")
        : new Fault("invalid_request", "This is not a valid HTTP request.");
  const requestId = newId();
  const body = JSON.stringify(toErrorResponse(fault, requestId));
  const head = `HTTP/1.1 ${fault.status} ${fault.status === 408 ? "Request Timeout" : "Bad Request"}`;
  socket.end(
    `${head}\r\ncontent-type: application/json; charset=utf-8\r\nx-request-id: ${requestId}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

function errorBodyFor(fault: Fault, request: FastifyRequest): string {
  const dialect = dialectForUrl(request.url) ?? trunklineDialect;
  return JSON.stringify(dialect.errorBody(fault, request.id));
}

/**
 * Some formats put a verb after a name that may contain slashes and colons, as in `/models/a/b:generate`. Endpoints
 * write such a path as `/models/*:generate`; the router matches the name by a wildcard and the verb by this constraint.
 */
const VERB_CONSTRAINT = "verb";

/** Lets the router distinguish operations by their verb. */
function addVerbConstraint(app: FastifyInstance): void {
  app.addConstraintStrategy({
    name: VERB_CONSTRAINT,
    storage: () => {
      const handlers = new Map<unknown, never>();
      return {
        get: (verb: unknown) => handlers.get(verb) ?? null,
        set: (verb: unknown, handler: never) => void handlers.set(verb, handler),
      };
    },
    deriveConstraint: ({ url }) => /(?::|%3a)(\w+)(?:\?|$)/i.exec(url ?? "")?.[1],
  });
}

/** Fastify's route options for the path of an endpoint. */
function routeOptionsOf(path: string): Pick<RouteOptions, "url" | "constraints"> {
  const [, url, verb] = /^(.*\*):(\w+)$/.exec(path) ?? [];
  return url === undefined ? { url: path } : { url, constraints: { [VERB_CONSTRAINT]: verb } };
}

/** Methods that get routes of their own. */
const ROUTED_METHODS: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "TRACE",
]);
/** All other methods are refused on every path. They share one alias, since routes for each would take most of the start. */
const UNCOMMON_METHOD_ALIAS = "PROPFIND";
const originalMethods = new WeakMap<IncomingMessage, string>();

/** CONNECT is missing: Node emits it as an event of its own, never as a request. */
const REFUSABLE_METHODS = METHODS_OF_NODE.filter(
  (method) => ROUTED_METHODS.has(method) || method === UNCOMMON_METHOD_ALIAS,
);

/** Runs before routing: replaces an uncommon method by the alias. Returns the URL unchanged. */
function aliasUncommonMethod(request: IncomingMessage): string {
  const { method = "", url = "/" } = request;
  if (!ROUTED_METHODS.has(method)) {
    originalMethods.set(request, method);
    request.method = UNCOMMON_METHOD_ALIAS;
  }
  return url;
}

/** The method as the client wrote it. */
function originalMethodOf(request: FastifyRequest): string {
  return originalMethods.get(request.raw) ?? request.method;
}

/** Answers a known path with a wrong method by 405 and the methods that it has. */
function addMethodNotAllowedRoutes(app: FastifyInstance, services: Services): void {
  app.addHttpMethod(UNCOMMON_METHOD_ALIAS, { hasBody: true });
  const pages = Object.keys(PUBLIC_PATHS).map((path) => ({ path, method: "GET" as const }));
  const known = [...ALL_ENDPOINTS, ...pages];
  for (const path of new Set(known.map((endpoint) => endpoint.path))) {
    const allowed = known.filter((endpoint) => endpoint.path === path).map((endpoint) => endpoint.method);
    // HEAD comes with GET.
    const answered: readonly string[] = allowed.includes("GET") ? [...allowed, "HEAD"] : allowed;
    const others = REFUSABLE_METHODS.filter((method) => !answered.includes(method));
    const refuse = serveFault(
      services,
      (request) =>
        new Fault(
          "method_not_allowed",
          `${originalMethodOf(request)} is not possible here. Use ${allowed.join(" or ")}.`,
          { allow: allowed },
        ),
    );
    app.route({ method: others, ...routeOptionsOf(path), handler: refuse, exposeHeadRoute: false });
  }
}
