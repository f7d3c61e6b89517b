import { Fault } from "@trunkline/core/fault.ts";
import { newId } from "@trunkline/core/id.ts";
import Fastify, { type FastifyInstance, type FastifyRequest } from "fastify";
import type { Services } from "../../app/services.ts";
import { trunklineDialect } from "../formats/dialect.ts";
import { toErrorResponse } from "../formats/error-body.ts";
import { buildOpenApiDocument } from "../openapi/openapi-document.ts";
import { addReferencePage } from "../openapi/reference-page.ts";
import { dialectForUrl } from "./all-dialects.ts";
import { ALL_ENDPOINTS } from "./all-endpoints.ts";
import { addDashboard } from "./dashboard.ts";
import { addMethodNotAllowedRoutes, aliasUncommonMethod, originalMethodOf } from "./other-methods.ts";
import { addVerbConstraint, routeOptionsOf } from "./route-verb.ts";
import { createBatchLineRunner } from "./run-batch-line.ts";
import { serveEndpoint, serveFault } from "./serve-endpoint.ts";

/** The HTTP server: every operation of the table, the public pages, and one answer for everything else. */
export function createHttpServer(services: Services): FastifyInstance {
  const { headerWaitMs, bodyWaitMs } = services.config.limits;
  const app = Fastify({
    logger: false,
    genReqId: () => newId(services.clock.now()),
    trustProxy: trustProxyOption(services.config.trustProxy),
    requestTimeout: headerWaitMs + bodyWaitMs + 10_000,
    // A missing Host is refused below, in our own form.
    http: { headersTimeout: headerWaitMs, connectionsCheckingInterval: 1_000, requireHostHeader: false },
    keepAliveTimeout: 75_000,
    forceCloseConnections: "idle",
    // While the service stops, a request on an open connection is still served, and told that the connection closes.
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
  // Bodies are read by the line, after the caller is known: nothing is parsed at the door.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
  const refuseMediaType = serveFault(
    services,
    () => new Fault("unsupported_media_type", "Send the body as JSON with `Content-Type: application/json`."),
  );
  app.setErrorHandler(async (error, request, reply) => {
    // A content type that is none never reaches a route either; who sent it is still asked first.
    if (hasStatus(error, 415)) {
      await refuseMediaType(request, reply);
      return;
    }
    services.log.error({ error }, "The HTTP server met a bug.");
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
  // Node would refuse an expectation that it does not know, without a body; it may as well be ignored.
  app.server.on("checkExpectation", (request, response) => app.server.emit("request", request, response));
  addMethodNotAllowedRoutes(app, services);
  const openDashboard = addDashboard(app);
  const answerNotFound = serveFault(
    services,
    (request) =>
      new Fault(
        "not_found",
        `There is nothing at ${originalMethodOf(request)} ${requestPath(request)}. See /docs.`,
      ),
  );
  app.setNotFoundHandler(async (request, reply) => {
    if (openDashboard(request, reply)) return reply;
    return answerNotFound(request, reply);
  });
  addServiceRoutes(app, services);
  addReferencePage(app);
  return app;
}

/** Of the addresses in `X-Forwarded-For` those count that our own proxies wrote, the last ones: whoever asks writes the others. */
function trustProxyOption(proxies: boolean | number): false | ((address: string, hop: number) => boolean) {
  return proxies === false ? false : (_address, hop) => hop < Number(proxies);
}

let openApiJson: string | undefined;

/** The OpenAPI document. The table never changes, and to write it takes a good part of a start: only who asks waits, once. */
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

/** What Node could not read as a request: answered by hand, as there is no request to answer to. */
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

function hasStatus(error: unknown, status: number): boolean {
  return error instanceof Error && "statusCode" in error && error.statusCode === status;
}

function errorBodyFor(fault: Fault, request: FastifyRequest): string {
  const dialect = dialectForUrl(request.url) ?? trunklineDialect;
  return JSON.stringify(dialect.errorBody(fault, request.id));
}

function requestPath(request: FastifyRequest): string {
  return request.url.split("?")[0]?.slice(0, 200) ?? "";
}
