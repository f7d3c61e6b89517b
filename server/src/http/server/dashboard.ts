import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Asset, readAssets, SECURITY_HEADERS, sendAsset } from "./static-files.ts";

/** Where the build puts the dashboard: beside the bundle, or in `dist` when the server runs from its sources. */
const DASHBOARD_FOLDERS = ["./web/", "../../../dist/web/"].map((path) => fileURLToPath(new URL(path, import.meta.url)));

const NONCE_PLACEHOLDER = "__STYLE_NONCE__";
const HTML_TYPE = "text/html; charset=utf-8";
/** Prefixes of the API and its pages. An unknown path under one of them answers 404 instead of the dashboard. */
const RESERVED_PATHS = /^\/(?:v\d+|docs|guide|openapi|healthz|readyz|metrics|assets)(?:[/.?]|$)/;

/** The dashboard's files, read once at the start. */
interface Dashboard {
  readonly page: string;
  readonly assets: ReadonlyMap<string, Asset>;
}

/** All servers of one process share the files: they take megabytes and never change while it runs. */
const dashboards = new WeakMap<readonly string[], Dashboard>();

/** Serves the dashboard's files. Returns a handler that sends its page for unknown paths that a browser navigates to. */
export function addDashboard(
  app: FastifyInstance,
  folders: readonly string[] = DASHBOARD_FOLDERS,
): (request: FastifyRequest, reply: FastifyReply) => boolean {
  const dashboard = dashboards.get(folders) ?? readDashboard(folders);
  if (dashboard !== undefined) dashboards.set(folders, dashboard);
  app.get("/", (_request, reply) => sendPage(reply, dashboard));
  const sendFile = (request: FastifyRequest, reply: FastifyReply, path: string) => {
    const asset = dashboard?.assets.get(path);
    return asset === undefined ? reply.callNotFound() : sendAsset(request, reply, asset);
  };
  app.get<{ Params: { "*": string } }>("/assets/*", (request, reply) =>
    sendFile(request, reply, `/assets/${request.params["*"]}`),
  );
  for (const path of dashboard?.assets.keys() ?? []) {
    if (!path.startsWith("/assets/")) app.get(path, (request, reply) => sendFile(request, reply, path));
  }
  return (request, reply) => {
    if (!isDashboardNavigation(request)) return false;
    void sendPage(reply, dashboard);
    return true;
  };
}

/** Whether a browser navigates to a path that the dashboard's own router may know. */
function isDashboardNavigation(request: FastifyRequest): boolean {
  if (request.method !== "GET" && request.method !== "HEAD") return false;
  return !RESERVED_PATHS.test(request.url) && /\btext\/html\b/i.test(request.headers.accept ?? "");
}

function sendPage(reply: FastifyReply, dashboard: Dashboard | undefined): FastifyReply {
  const nonce = randomBytes(16).toString("base64");
  reply.headers({
    ...SECURITY_HEADERS,
    "content-security-policy": contentSecurityPolicy(nonce),
    "cache-control": "no-store",
  });
  if (dashboard === undefined) {
    const text = "The dashboard is not built. Run `npm run build` and start the service again.\n";
    return reply.code(503).type("text/plain; charset=utf-8").send(text);
  }
  return reply.type(HTML_TYPE).send(dashboard.page.replace(NONCE_PLACEHOLDER, nonce));
}

function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob: https:",
    "media-src 'self' data: blob: https:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}

function readDashboard(folders: readonly string[]): Dashboard | undefined {
  const files = readAssets(folders);
  const page = files?.get("index.html")?.content.toString();
  if (files === undefined || page === undefined) return undefined;
  const assets = [...files]
    .filter(([name]) => name !== "index.html")
    .map(([name, asset]) => [`/${name}`, asset] as const);
  return { page, assets: new Map(assets) };
}
