import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Fastify from "fastify";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addGuide } from "./guide.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "trunkline-guide-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function appOn(home: string) {
  const app = Fastify();
  addGuide(app, [home]);
  return app;
}

describe("the documentation's files", () => {
  it("are read on the first visit, and nothing outside of their folder is served", async () => {
    const home = join(folder, "guide");
    const app = appOn(home);
    mkdirSync(join(home, "guides"), { recursive: true });
    writeFileSync(join(folder, "secret.html"), "secret");
    writeFileSync(join(home, "index.html"), "home");
    writeFileSync(join(home, "guides", "a.html"), "a guide");
    const get = (url: string) => app.inject({ url });

    expect((await get("/guide/")).body).toBe("home");
    expect((await get("/guide/guides/a.html")).body).toBe("a guide");
    writeFileSync(join(home, "late.html"), "late");
    for (const path of ["late.html", "../secret.html", "..%2fsecret.html", "%2e%2e/secret.html"])
      expect((await get(`/guide/${path}`)).statusCode, path).toBe(404);
  });

  it("redirects to the address with the slash, which the links of the pages need", async () => {
    const { statusCode, headers } = await appOn(folder).inject({ url: "/guide" });
    expect([statusCode, headers.location]).toEqual([308, "/guide/"]);
  });

  it("answers 503 with the build command when the documentation is not built", async () => {
    const { statusCode, body } = await appOn(join(folder, "nothing")).inject({ url: "/guide/" });
    expect(statusCode).toBe(503);
    expect(body).toContain("npm run build");
  });
});
