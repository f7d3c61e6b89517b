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
 * Holds the page to its word: the browser itself refuses to ask anyone outside. It shares its address with the dashboard
 * and so its session: no script runs but ours, and what starts it, word for word.
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
    <div id="reference"></div>
    <script src="/docs/reference.js"></script>
    <script>${START_SCRIPT}</script>
  </body>
</html>
`;

/** The interactive reference, from files of our own. Nothing of it is read before somebody looks at it. */
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

/** The package's own plugin costs every start a quarter of a second; all that is needed of it is this file. */
function scriptPath(): string {
  const entry = createRequire(import.meta.url).resolve("@scalar/fastify-api-reference");
  return join(dirname(entry), "js", "standalone.js");
}
