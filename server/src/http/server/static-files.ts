import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import type { FastifyReply, FastifyRequest } from "fastify";

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
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

export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": [
    ...DISABLED_FEATURES,
    "publickey-credentials-get=(self)",
    "publickey-credentials-create=(self)",
  ].join(", "),
};

const FILE_CONTENT_SECURITY_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

/** A file with what its answer needs. */
export interface Asset {
  readonly isHashed: boolean;
  readonly type: string;
  readonly etag: string;
  readonly content: Buffer;
  readonly compressed: readonly { readonly name: string; readonly bytes: Buffer }[];
}

/**
 * Reads the files of the first of these folders that has an `index.html`, by their paths in it. Only they are served,
 * so a request path never reaches the disk.
 */
export function readAssets(folders: readonly string[]): ReadonlyMap<string, Asset> | undefined {
  for (const folder of folders) {
    const names = listFiles(folder);
    if (!names.includes("index.html")) continue;
    const served = names.filter((name) => CONTENT_TYPES[extname(name)] !== undefined);
    return new Map(served.map((name) => [name, readAsset(folder, name, names)]));
  }
  return undefined;
}

/** Sends a file. Browsers keep those under `assets` for ever, as their names have their digests, and ask again for others. */
export function sendAsset(
  request: FastifyRequest,
  reply: FastifyReply,
  { isHashed, ...asset }: Asset,
  contentSecurityPolicy = FILE_CONTENT_SECURITY_POLICY,
): FastifyReply {
  reply.headers({
    ...SECURITY_HEADERS,
    "content-security-policy": contentSecurityPolicy,
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

function readAsset(folder: string, name: string, names: readonly string[]): Asset {
  const plain = readFileSync(join(folder, name));
  return {
    isHashed: name.startsWith("assets/"),
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
