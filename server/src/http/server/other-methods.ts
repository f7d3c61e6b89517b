import { type IncomingMessage, METHODS as METHODS_OF_NODE } from "node:http";
import { Fault } from "@trunkline/core/fault.ts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Services } from "../../app/services.ts";
import { PUBLIC_PATHS } from "../openapi/openapi-document.ts";
import { ALL_ENDPOINTS } from "./all-endpoints.ts";
import { routeOptionsOf } from "./route-verb.ts";
import { serveFault } from "./serve-endpoint.ts";

/** Methods that the router tells apart. */
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
/** The rest are refused alike on every path, so the router knows them by one name: a table for each would be most of a start. */
const UNCOMMON_METHOD_ALIAS = "PROPFIND";
const originalMethods = new WeakMap<IncomingMessage, string>();

/** CONNECT asks for a tunnel and never becomes a request. */
const REFUSABLE_METHODS = METHODS_OF_NODE.filter(
  (method) => ROUTED_METHODS.has(method) || method === UNCOMMON_METHOD_ALIAS,
);

/** For the router, before it looks: puts a rare method under the name that it knows. Returns the address as it is. */
export function aliasUncommonMethod(request: IncomingMessage): string {
  const { method = "", url = "/" } = request;
  if (!ROUTED_METHODS.has(method)) {
    originalMethods.set(request, method);
    request.method = UNCOMMON_METHOD_ALIAS;
  }
  return url;
}

/** The method as the client wrote it. */
export function originalMethodOf(request: FastifyRequest): string {
  return originalMethods.get(request.raw) ?? request.method;
}

/** Whoever asks a path of ours by a method that it has not is told which it has. */
export function addMethodNotAllowedRoutes(app: FastifyInstance, services: Services): void {
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
