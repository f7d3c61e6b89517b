import { createHash, randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/** Where the build puts the dashboard: beside the bundle, or in `dist` when the server runs from its sources. */
const DASHBOARD_FOLDERS = ["./web/", "../../../dist/web/"].map((path) => fileURLToPath(new URL(path, import.meta.url)));

const NONCE_PLACEHOLDER = "__STYLE_NONCE__";
const HTML_TYPE = "text/html; charset=utf-8";
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".webmanifest": "application/manifest+json; charset=utf-8",
  ".woff2": "font/woff2",
};
/** The build writes these beside each file. The first accepted one is sent. */
const ENCODINGS = [
  { name: "br", ending: ".br" },
  { name: "gzip", ending: ".gz" },
] as const;

/** Prefixes of the API and its pages. An unknown path under one of them answers 404 instead of the dashboard. */
const RESERVED_PATHS = /^\/(?:v\d+|docs|openapi|healthz|readyz|metrics|assets)(?:[/.?]|$)/;

const DISABLED_FEATURES = [
  "accelerometer",
  "camera",
  "display-capture",
  "geolocation",
  "gyroscope",
  "hid",
  "magnetometer",
]
  .concat(["microphone", "midi", "payment", "serial", "usb", "xr-spatial-tracking"])
  .map((feature) => `${feature}=()`);

const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": [
    ...DISABLED_FEATURES,
    "publickey-credentials-get=(self)",
    "publickey-credentials-create=(self)",
  ].join(", "),
};

interface Asset {
  readonly type: string;
  readonly etag: string;
  readonly content: Buffer;
  readonly compressed: readonly { readonly name: string; readonly bytes: Buffer }[];
}

/** The dashboard's files, read once at the start. Nothing else is served, so a request path never reaches the disk. */
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
    return asset === undefined ? reply.callNotFound() : sendAsset(request, reply, path, asset);
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

function sendAsset(request: FastifyRequest, reply: FastifyReply, path: string, asset: Asset): FastifyReply {
  const isHashed = path.startsWith("/assets/");
  reply.headers({
    ...SECURITY_HEADERS,
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "cache-control": isHashed ? "public, max-age=31536000, immutable" : "no-cache",
    etag: asset.etag,
    vary: "accept-encoding",
  });
  if (request.headers["if-none-match"]?.split(/,\s*/).includes(asset.etag) === true) return reply.code(304).send();
  const compressed = asset.compressed.find(({ name }) => accepts(request.headers["accept-encoding"], name));
  if (compressed !== undefined) reply.header("content-encoding", compressed.name);
  return reply.type(asset.type).send(compressed?.bytes ?? asset.content);
}

/** Whether a client accepts this encoding. A weight of 0 refuses it. */
function accepts(header: string | string[] | undefined, encoding: string): boolean {
  return String(header ?? "")
    .split(",")
    .map((part) =>
      part
        .trim()
        .toLowerCase()
        .split(/\s*;\s*q=/),
    )
    .some(([name, weight]) => name === encoding && Number(weight ?? 1) > 0);
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
  for (const folder of folders) {
    const names = listFiles(folder);
    if (!names.includes("index.html")) continue;
    const assets = names
      .filter((name) => name !== "index.html" && CONTENT_TYPES[extname(name)] !== undefined)
      .map((name) => [`/${name}`, readAsset(folder, name, names)] as const);
    return { page: readFileSync(join(folder, "index.html"), "utf8"), assets: new Map(assets) };
  }
  return undefined;
}

function readAsset(folder: string, name: string, names: readonly string[]): Asset {
  const plain = readFileSync(join(folder, name));
  return {
    type: CONTENT_TYPES[extname(name)] ?? "application/octet-stream",
    etag: `"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`,
    content: plain,
    compressed: ENCODINGS.filter(({ ending }) => names.includes(name + ending)).map((encoding) => ({
      name: encoding.name,
      bytes: readFileSync(join(folder, name + encoding.ending)),
    })),
  };
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"));
  } catch {
    // The folder does not exist before the first build.
    return [];
  }
}
