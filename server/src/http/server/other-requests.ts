import { type IncomingMessage, METHODS as METHODS_OF_NODE, type RequestListener, type Server } from "node:http";
import { Fault } from "@trunkline/core/fault.ts";
import { newId } from "@trunkline/core/id.ts";
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod, RouteOptions } from "fastify";
import Fastify from "fastify";
import createRouter from "find-my-way";
import type { Services } from "../../app/services.ts";
import type { HeaderLines } from "../endpoints/header-lines.ts";
import type { HttpReply, HttpRequest } from "../endpoints/http-request.ts";
import { trunklineDialect } from "../formats/dialect.ts";
import { buildOpenApiDocument, PUBLIC_PATHS } from "../openapi/openapi-document.ts";
import { addReferencePage } from "../openapi/reference-page.ts";
import { discardBody } from "../requests/read-body.ts";
import { addDashboard } from "./dashboard.ts";
import { dialectForUrl } from "./dialect-for-url.ts";
import { ALL_ENDPOINTS } from "./endpoint-registry.ts";
import { addGuide } from "./guide.ts";
import { limitWriteWait } from "./limit-write-wait.ts";
import { serveEndpoint, serveFault } from "./serve-endpoint.ts";
import { SERVICE_PAGES } from "./service-pages.ts";

/** What Fastify serves: every registered operation, the public pages, and one answer for everything else. */
export interface OtherRequests {
  readonly listener: RequestListener;
  /** From now on, each answer closes its connection. */
  close(): Promise<void>;
}

/** Made with the first request that is not served directly: what only these need is a large part of the program. */
export async function createOtherRequests(services: Services, server: Server): Promise<OtherRequests> {
  let listener: RequestListener | undefined;
  const app = Fastify({
    logger: false,
    genReqId: () => newId(services.clock.now()),
    trustProxy: trustProxyOption(services.config.trustProxy),
    serverFactory: (handler) => {
      listener = handler;
      return server;
    },
    // The server has a handler of its own.
    clientErrorHandler: () => undefined,
    // While the service stops, a request on an open connection is still served, with `connection: close`.
    return503OnClosing: false,
    rewriteUrl: aliasUncommonMethod,
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: MAX_PARAM_LENGTH },
    // Endpoints have schemas of their own. Fastify's compilers for schemas are not part of the bundle.
    schemaController: { compilersFactory: { buildValidator: refuseSchemas, buildSerializer: refuseSchemas } },
    // A path that can't be decoded never reaches a route.
    frameworkErrors: (_error, request, reply) => answerUnreadableAddress(request, reply),
  });
  addRoutes(app, services);
  await app.ready();
  if (listener === undefined) throw new Error("Fastify asked for no server.");
  return { listener, close: () => app.close() };
}

function addRoutes(app: FastifyInstance, services: Services): void {
  const { writeWaitMs } = services.config.limits;
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
      await refuseMediaType(request, new FrameworkReply(reply));
      return;
    }
    services.log.error({ error }, "Unexpected error in the HTTP server.");
    void reply
      .code(500)
      .headers({ "content-type": "application/json; charset=utf-8", "x-request-id": request.id })
      .send(errorBodyFor(new Fault("internal", "Something went wrong on our side."), request));
  });
  app.addHook("onRequest", async (request, reply) => {
    // All of the answer is with the socket by then.
    reply.raw.once("prefinish", () => limitWriteWait(reply.raw, writeWaitMs));
    if (request.headers.host !== undefined || request.raw.httpVersion === "1.0") return;
    const fault = new Fault("invalid_request", "An HTTP/1.1 request needs a Host header.");
    reply.code(400).headers({ "content-type": "application/json; charset=utf-8", connection: "close" });
    await reply.send(errorBodyFor(fault, request));
  });
  app.addHook("onSend", async (request, reply) => {
    if (!reply.hasHeader("x-request-id")) reply.header("x-request-id", request.id);
  });
  app.addHook("onResponse", async (request) => discardBody(request.raw));
  app.addConstraintStrategy(verbStrategy);
  for (const endpoint of ALL_ENDPOINTS) {
    const { method, path } = endpoint;
    const serve = serveEndpoint(services, endpoint);
    const handler: RouteHandlerMethod = (request, reply) => serve(request, new FrameworkReply(reply));
    app.route({ method, ...routeOptionsOf(path), handler });
  }
  const refuseMethod = addMethodNotAllowedRoutes(app, services);
  const openDashboard = addDashboard(app);
  const answerNotFound = serveFault(services, (request) => {
    const path = request.url.split("?")[0]?.slice(0, 200) ?? "";
    return new Fault("not_found", `There is nothing at ${originalMethodOf(request)} ${path}. See /docs.`);
  });
  app.setNotFoundHandler(async (request, reply) => {
    const known = findKnownPath(request.url);
    if (known === "unreadable") return answerUnreadableAddress(request, reply.hijack());
    if (known !== undefined) return refuseMethod(request, new FrameworkReply(reply));
    if (openDashboard(request, reply)) return reply;
    return answerNotFound(request, new FrameworkReply(reply));
  });
  addServiceRoutes(app, services);
  addReferencePage(app);
  addGuide(app);
}

/** A reply that goes through Fastify. */
class FrameworkReply implements HttpReply {
  readonly #reply: FastifyReply;

  constructor(reply: FastifyReply) {
    this.#reply = reply;
  }

  get raw(): FastifyReply["raw"] {
    return this.#reply.raw;
  }

  send(status: number, headers: HeaderLines, body: string | Buffer): void {
    this.#reply.code(status);
    const { list } = headers;
    for (let at = 0; at < list.length; at += 2) this.#reply.header(String(list[at]), list[at + 1]);
    void this.#reply.send(status === 204 ? undefined : body);
  }

  hijack(): void {
    this.#reply.hijack();
  }
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
  for (const [path, page] of SERVICE_PAGES)
    app.get(path, async (_request, reply) => {
      const { status, headers, body } = await page(services);
      return reply.code(status).headers(headers).send(body);
    });
  app.get("/openapi.json", async (_request, reply) =>
    reply.type("application/json; charset=utf-8").send(openApiText()),
  );
}

function errorBodyFor(fault: Fault, request: FastifyRequest): string {
  const dialect = dialectForUrl(request.url) ?? trunklineDialect;
  return JSON.stringify(dialect.errorBody(fault, request.id));
}

function refuseSchemas(): never {
  throw new Error("A route of Fastify has no schema here.");
}

/** Answers an address that the router can't read: one that can't be decoded, or with too long a parameter. */
function answerUnreadableAddress(request: FastifyRequest, reply: FastifyReply): void {
  reply.raw.writeHead(400, { "content-type": "application/json; charset=utf-8", "x-request-id": request.id });
  reply.raw.end(errorBodyFor(new Fault("invalid_request", "The address can't be read."), request));
}

/**
 * Some formats put a verb after a name that may contain slashes and colons, as in `/models/a/b:generate`. Endpoints
 * write such a path as `/models/*:generate`; the router matches the name by a wildcard and the verb by this constraint.
 */
const VERB_CONSTRAINT = "verb";

/** Reads the verb of an address. */
const verbOf = (url: string) => /(?::|%3a)(\w+)(?:\?|$)/i.exec(url)?.[1];

/** Lets a router distinguish operations by their verb. */
const verbStrategy = {
  name: VERB_CONSTRAINT,
  storage: () => {
    const handlers = new Map<unknown, never>();
    return {
      get: (verb: unknown) => handlers.get(verb) ?? null,
      set: (verb: unknown, handler: never) => void handlers.set(verb, handler),
    };
  },
  // Without a verb there is no constraint, which the router's types do not know.
  deriveConstraint: ({ url }: { readonly url?: string | undefined }) => verbOf(url ?? "") as string,
};

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
function originalMethodOf(request: HttpRequest): string {
  return originalMethods.get(request.raw) ?? request.method;
}

/** A longer parameter makes an address unreadable. */
const MAX_PARAM_LENGTH = 300;

/** A path that exists, with its methods. */
interface KnownPath {
  readonly path: string;
  /** The path, cut at its slashes. */
  readonly segments: readonly string[];
  readonly allowed: readonly string[];
}

const KNOWN_PATHS: readonly KnownPath[] = (() => {
  const pages = Object.keys(PUBLIC_PATHS).map((path) => ({ path, method: "GET" as const }));
  const known = [...ALL_ENDPOINTS, ...pages];
  return [...new Set(known.map(({ path }) => path))].map((path) => ({
    path,
    segments: path.split("/"),
    allowed: known.filter((endpoint) => endpoint.path === path).map(({ method }) => method),
  }));
})();

/** Matches all known paths as the server's own router does. All servers of one process share it. */
const knownPathRouter = (() => {
  const ignore = () => undefined;
  const router = createRouter({
    maxParamLength: MAX_PARAM_LENGTH,
    onBadUrl: ignore,
    onMaxParamLength: ignore,
    constraints: { [VERB_CONSTRAINT]: verbStrategy },
  });
  for (const known of KNOWN_PATHS) {
    const { url, constraints } = routeOptionsOf(known.path);
    router.on("GET", url, constraints === undefined ? {} : { constraints }, ignore, known);
  }
  return router;
})();

/** The known path that an address means, by whatever method it is requested. */
function findKnownPath(url: string): KnownPath | "unreadable" | undefined {
  const found = knownPathRouter.find("GET", url, { [VERB_CONSTRAINT]: verbOf(url) });
  return found === null ? undefined : ((found.store as KnownPath | null) ?? "unreadable");
}

/** Whether an address can mean both paths. */
function canOverlap({ segments: ones }: KnownPath, { segments: others }: KnownPath): boolean {
  for (let at = 0; ; at++) {
    const a = ones[at];
    const b = others[at];
    if (a === b && a !== undefined) continue;
    if (a?.startsWith("*") || b?.startsWith("*")) return true;
    if (a === undefined || b === undefined) return a === b;
    if (!a.startsWith(":") && !b.startsWith(":")) return false;
  }
}

/**
 * Methods that a path refuses although another path that fits the same address has them: `DELETE /keys/search` beside
 * `DELETE /keys/:id`. Only these need routes of their own; the not-found handler refuses all others.
 */
const SHADOWED_METHODS = KNOWN_PATHS.map((known) => {
  const overlapping = KNOWN_PATHS.filter((other) => canOverlap(known, other));
  const methods = REFUSABLE_METHODS.filter(
    (method) => !answers(known, method) && overlapping.some((other) => answers(other, method)),
  );
  return { path: known.path, methods };
}).filter(({ methods }) => methods.length > 0);

/** HEAD comes with GET. */
function answers({ allowed }: KnownPath, method: string): boolean {
  return allowed.includes(method === "HEAD" && !allowed.includes("HEAD") ? "GET" : method);
}

/** Answers a known path with a wrong method by 405 and the methods that it has. Returns the handler that does. */
function addMethodNotAllowedRoutes(app: FastifyInstance, services: Services) {
  app.addHttpMethod(UNCOMMON_METHOD_ALIAS, { hasBody: true });
  const refuse = serveFault(services, (request) => {
    const known = findKnownPath(request.url);
    const allow = known === undefined || known === "unreadable" ? [] : known.allowed;
    const sentence = `${originalMethodOf(request)} is not possible here. Use ${allow.join(" or ")}.`;
    return new Fault("method_not_allowed", sentence, { allow });
  });
  const handler: RouteHandlerMethod = (request, reply) => refuse(request, new FrameworkReply(reply));
  for (const { path, methods } of SHADOWED_METHODS)
    app.route({ method: [...methods], ...routeOptionsOf(path), handler, exposeHeadRoute: false });
  return refuse;
}
