import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { FastifyInstance } from "fastify";

const SCALAR_SETTINGS = {
  url: "/openapi.json",
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: "never",
};

const START_SCRIPT = `Scalar.createApiReference("#reference", ${JSON.stringify(SCALAR_SETTINGS)})`;

/**
 * The browser refuses every request to another origin. The page shares its origin, and so its session, with the
 * dashboard: only our own scripts run, and of inline scripts only the exact start script.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  `script-src 'self' 'sha256-${createHash("sha256").update(START_SCRIPT).digest("base64")}'`,
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <title>Trunkline API</title>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
  </head>
  <body>
    <p style="margin: 0; padding: 6px 16px; font: 14px system-ui, sans-serif; color: var(--scalar-color-1)">
      <a href="/guide/" style="color: inherit">Guides and documentation</a> ·
      <a href="/" style="color: inherit">Dashboard</a>
    </p>
    <div id="reference"></div>
    <script src="/docs/reference.js"></script>
    <script>${START_SCRIPT}</script>
  </body>
</html>
`;

/** Serves the interactive API reference from local files. The script is read on the first visit. */
export function addReferencePage(app: FastifyInstance): void {
  let script: Promise<Buffer> | undefined;
  for (const path of ["/docs", "/docs/"]) {
    app.get(path, (_request, reply) =>
      reply.type("text/html; charset=utf-8").header("content-security-policy", CONTENT_SECURITY_POLICY).send(PAGE),
    );
  }
  app.get("/docs/reference.js", async (_request, reply) => {
    script ??= readFile(scriptPath());
    return reply
      .type("text/javascript; charset=utf-8")
      .header("cache-control", "max-age=3600")
      .send(await script);
  });
}

/** Only this file of the package is needed. Its Fastify plugin would add 250 ms to every start. */
function scriptPath(): string {
  const entry = createRequire(import.meta.url).resolve("@scalar/fastify-api-reference");
  return join(dirname(entry), "js", "standalone.js");
}
