import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Fastify from "fastify";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addDashboard } from "./dashboard.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "trunkline-web-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function appOn(home: string) {
  const app = Fastify();
  const open = addDashboard(app, [home]);
  app.setNotFoundHandler(async (request, reply) => (open(request, reply) ? reply : reply.code(404).send("none")));
  return app;
}

describe("dashboard files", () => {
  it("serves only files of known types that existed at the start", async () => {
    const home = join(folder, "web");
    mkdirSync(join(home, "assets"), { recursive: true });
    writeFileSync(join(folder, "secret.js"), "secret");
    writeFileSync(join(home, "index.html"), '<meta content="__STYLE_NONCE__">');
    writeFileSync(join(home, "assets", "a.js"), "1");
    writeFileSync(join(home, "assets", "a.js.map"), "{}");
    writeFileSync(join(home, "sources.sha256"), "00");
    const app = appOn(home);
    writeFileSync(join(home, "assets", "late.js"), "2");

    const statusOf = async (url: string) => (await app.inject({ url })).statusCode;
    expect(await statusOf("/assets/a.js")).toBe(200);
    for (const path of [
      "/assets/late.js",
      "/assets/a.js.map",
      "/sources.sha256",
      "/index.html",
      "/secret.js",
      "/../secret.js",
      "/assets/../../secret.js",
      "/assets/..%2f..%2fsecret.js",
      "/assets/%2e%2e/%2e%2e/secret.js",
      "/assets/..\\..\\secret.js",
      "/assets/",
    ])
      expect(await statusOf(path), path).toBe(404);
  });

  it("compresses only for clients that accept the encoding, and never when its weight is 0", async () => {
    writeFileSync(join(folder, "index.html"), "");
    writeFileSync(join(folder, "a.js"), "plain");
    writeFileSync(join(folder, "a.js.br"), "brotli");
    writeFileSync(join(folder, "a.js.gz"), "gzip");
    const app = appOn(folder);
    const bodyFor = async (encoding: string) =>
      (await app.inject({ url: "/a.js", headers: { "accept-encoding": encoding } })).body;
    expect(await bodyFor("gzip, deflate, br")).toBe("brotli");
    expect(await bodyFor("gzip, br;q=0")).toBe("gzip");
    expect(await bodyFor("gzip; q=0.5")).toBe("gzip");
    expect(await bodyFor("identity")).toBe("plain");
    expect(await bodyFor("brotli-like")).toBe("plain");
  });

  it("answers 503 with the build command when the dashboard is not built", async () => {
    const app = appOn(join(folder, "nothing"));
    for (const url of ["/", "/keys"]) {
      const answer = await app.inject({ url, headers: { accept: "text/html" } });
      expect(answer.statusCode).toBe(503);
      expect(answer.body).toContain("npm run build");
    }
  });
});
