import { Fault } from "@trunkline/core/fault.ts";
import { newId } from "@trunkline/core/id.ts";
import Fastify, { type FastifyInstance, type FastifyRequest } from "fastify";
import type { House } from "../../app/services.ts";
import { trunklineDialect } from "../formats/dialect.ts";
import { errorToWire } from "../formats/error-body.ts";
import { openApiOf } from "../openapi/openapi-document.ts";
import { addReference } from "../openapi/reference-page.ts";
import { dialectOf } from "./all-dialects.ts";
import { ALL_ENDPOINTS } from "./all-endpoints.ts";
import { addDashboard } from "./dashboard.ts";
import { methodOf, nameForRouter, refuseOtherMethods } from "./other-methods.ts";
import { addVerbs, routeOf } from "./route-verb.ts";
import { batchLineRunner } from "./run-batch-line.ts";
import { serveEndpoint, serveNothing } from "./serve-endpoint.ts";

/** The HTTP server: every operation of the table, the public pages, and one answer for everything else. */
export function buildApp(house: House): FastifyInstance {
  const { headerWaitMs, bodyWaitMs } = house.config.limits;
  const app = Fastify({
    logger: false,
    genReqId: () => newId(house.clock.now()),
    trustProxy: trustIn(house.config.trustProxy),
    requestTimeout: headerWaitMs + bodyWaitMs + 10_000,
    // A missing Host is refused below, in our own form.
    http: { headersTimeout: headerWaitMs, connectionsCheckingInterval: 1_000, requireHostHeader: false },
    keepAliveTimeout: 75_000,
    forceCloseConnections: "idle",
    // While the service stops, a request on an open connection is still served, and told that the connection closes.
    return503OnClosing: false,
    rewriteUrl: nameForRouter,
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: 300 },
    frameworkErrors: (error, request, reply) => {
      // A path that can't be decoded never reaches a route.
      const fault = new Fault("invalid_request", "The address can't be read.", {}, { cause: error });
      reply.raw.writeHead(400, {
        "content-type": "application/json; charset=utf-8",
        "x-request-id": request.id,
      });
      reply.raw.end(strayError(fault, request));
    },
    clientErrorHandler: answerBrokenRequest,
  });
  // Bodies are read by the line, after the caller is known: nothing is parsed at the door.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
  const refuseMediaType = serveNothing(
    house,
    () => new Fault("unsupported_media_type", "Send the body as JSON with `Content-Type: application/json`."),
  );
  app.setErrorHandler(async (error, request, reply) => {
    // A content type that is none never reaches a route either; who sent it is still asked first.
    if (hasStatus(error, 415)) {
      await refuseMediaType(request, reply);
      return;
    }
    house.log.error({ error }, "The HTTP server met a bug.");
    void reply
      .code(500)
      .headers({ "content-type": "application/json; charset=utf-8", "x-request-id": request.id })
      .send(strayError(new Fault("internal", "Something went wrong on our side."), request));
  });
  app.addHook("onRequest", async (request, reply) => {
    if (request.headers.host !== undefined || request.raw.httpVersion === "1.0") return;
    const fault = new Fault("invalid_request", "An HTTP/1.1 request needs a Host header.");
    reply.code(400).headers({ "content-type": "application/json; charset=utf-8", connection: "close" });
    await reply.send(strayError(fault, request));
  });
  app.addHook("onSend", async (request, reply) => {
    if (!reply.hasHeader("x-request-id")) reply.header("x-request-id", request.id);
  });
  addVerbs(app);
  for (const endpoint of ALL_ENDPOINTS) {
    const { method, path } = endpoint;
    app.route({ method, ...routeOf(path), handler: serveEndpoint(house, endpoint) });
  }
  app.addHook("onListen", async () => house.batchWorker.begin(batchLineRunner(house)));
  app.addHook("preClose", async () => house.batchWorker.stop());
  // Node would refuse an expectation that it does not know, without a body; it may as well be ignored.
  app.server.on("checkExpectation", (request, response) => app.server.emit("request", request, response));
  refuseOtherMethods(app, house);
  const openDashboard = addDashboard(app);
  const answerNotFound = serveNothing(
    house,
    (request) =>
      new Fault("not_found", `There is nothing at ${methodOf(request)} ${pathOf(request)}. See /docs.`),
  );
  app.setNotFoundHandler(async (request, reply) => {
    if (openDashboard(request, reply)) return reply;
    return answerNotFound(request, reply);
  });
  addPublicPages(app, house);
  addReference(app);
  return app;
}

/** Of the addresses in `X-Forwarded-For` those count that our own proxies wrote, the last ones: whoever asks writes the others. */
function trustIn(proxies: boolean | number): false | ((address: string, hop: number) => boolean) {
  return proxies === false ? false : (_address, hop) => hop < Number(proxies);
}

let written: string | undefined;

/** The OpenAPI document. The table never changes, and to write it takes a good part of a start: only who asks waits, once. */
function openApiText(): string {
  written ??= JSON.stringify(openApiOf(ALL_ENDPOINTS));
  return written;
}

function addPublicPages(app: FastifyInstance, house: House): void {
  app.get("/healthz", async () => ({ status: "alive" }));
  app.get("/readyz", async (_request, reply) => {
    const ready = await house.isReady();
    if (!ready) void reply.code(503).header("retry-after", "1");
    return { status: ready ? "ready" : "not ready" };
  });
  app.get("/metrics", async (_request, reply) =>
    reply.type(house.metrics.contentType).send(await house.metrics.text()),
  );
  app.get("/openapi.json", async (_request, reply) =>
    reply.type("application/json; charset=utf-8").send(openApiText()),
  );
}

/** What Node could not read as a request: answered by hand, as there is no request to answer to. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: import("node:net").Socket): void {
  if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
  const fault =
    error.code === "ERR_HTTP_REQUEST_TIMEOUT"
      ? new Fault("request_timeout", "The request did not arrive in time. Send it again.")
      : error.code === "HPE_HEADER_OVERFLOW"
        ? new Fault("invalid_request", "The request's headers are too large.")
        : new Fault("invalid_request", "This is not a valid HTTP request.");
  const requestId = newId();
  const body = JSON.stringify(errorToWire(fault, requestId));
  const head = `HTTP/1.1 ${fault.status} ${fault.status === 408 ? "Request Timeout" : "Bad Request"}`;
  socket.end(
    `${head}\r\ncontent-type: application/json; charset=utf-8\r\nx-request-id: ${requestId}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

function hasStatus(error: unknown, status: number): boolean {
  return error instanceof Error && "statusCode" in error && error.statusCode === status;
}

function strayError(fault: Fault, request: FastifyRequest): string {
  const dialect = dialectOf(request.url) ?? trunklineDialect;
  return JSON.stringify(dialect.errorBody(fault, request.id));
}

function pathOf(request: FastifyRequest): string {
  return request.url.split("?")[0]?.slice(0, 200) ?? "";
}
