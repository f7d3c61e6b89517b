import { fileURLToPath } from "node:url";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { readAssets, sendAsset } from "./static-files.ts";

/** Where the build puts the documentation: beside the bundle, or in `dist` when the server runs from its sources. */
const GUIDE_FOLDERS = ["./guide/", "../../../dist/guide/"].map((path) => fileURLToPath(new URL(path, import.meta.url)));

/** The pages have neither inline scripts nor inline styles, and ask no other host for anything. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Serves the documentation at /guide/. Its files are read on the first visit. */
export function addGuide(app: FastifyInstance, folders: readonly string[] = GUIDE_FOLDERS): void {
  let files: ReturnType<typeof readAssets>;
  const send = (request: FastifyRequest, reply: FastifyReply, path: string) => {
    files ??= readAssets(folders);
    if (files === undefined) {
      const text = "The documentation is not built. Run `npm run build`.\n";
      return reply.code(503).type("text/plain; charset=utf-8").send(text);
    }
    const asset = files.get(path === "" ? "index.html" : path);
    if (asset !== undefined) return sendAsset(request, reply, asset, CONTENT_SECURITY_POLICY);
    const missing = /\btext\/html\b/i.test(request.headers.accept ?? "") ? files.get("404.html") : undefined;
    if (missing === undefined) return reply.callNotFound();
    return sendAsset(request, reply.code(404), missing, CONTENT_SECURITY_POLICY);
  };
  app.get("/guide", (_request, reply) => reply.redirect("/guide/", 308));
  app.get<{ Params: { "*": string } }>("/guide/*", (request, reply) => send(request, reply, request.params["*"]));
}
