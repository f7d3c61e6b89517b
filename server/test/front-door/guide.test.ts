import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type StartedService, startService } from "../support/started-service.ts";

// The documentation itself comes from `npm run build`, which `npm test` runs first.
let service: StartedService;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const open = (path: string, headers: Readonly<Record<string, string>> = { accept: "text/html" }) =>
  service.call("GET", path, undefined, { key: null, headers });

describe("the documentation", () => {
  it("is at /guide/, with its pages", async () => {
    expect((await open("/guide/")).text).toContain('href="/guide/quick-start.html"');
    const { status, headers, text } = await open("/guide/quick-start.html");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(headers.get("cache-control")).toBe("no-cache");
    expect(text).toContain("<h1");
    // fetch follows the redirect.
    expect((await open("/guide")).text).toContain("Trunkline documentation");
  });

  it("and the API reference link to each other", async () => {
    expect((await open("/guide/")).text).toContain('href="/docs"');
    expect((await open("/docs")).text).toContain('href="/guide/"');
  });

  it("allows its own scripts and styles alone", async () => {
    expect((await open("/guide/money.html")).headers.get("content-security-policy")).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
  });

  it("lets browsers keep scripts, styles and search texts for ever, as their names have their digests", async () => {
    const { text } = await open("/guide/");
    const addresses = [...text.matchAll(/(?:src|href|data-search)="(\/guide\/assets\/[^"]+)"/g)].map(
      ([, path]) => `${path}`,
    );
    expect(addresses.map((path) => `${path.split(".").at(-1)}`).toSorted()).toEqual([
      "css",
      "js",
      "json",
      "svg",
      "svg",
    ]);
    for (const path of addresses) {
      const { status, headers } = await open(path, { "accept-encoding": "br" });
      expect(status, path).toBe(200);
      expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      if (!path.endsWith(".svg")) expect(headers.get("content-encoding"), path).toBe("br");
    }
  });

  it("has a page for an address that it lacks, and an error for a program", async () => {
    const { status, text } = await open("/guide/no-such-page.html");
    expect(status).toBe(404);
    expect(text).toContain("There is no such page");
    expectRefusal(await open("/guide/no-such-page.html", { accept: "*/*" }), 404, "not_found");
    for (const path of ["/guide/..%2f..%2fpackage.json", "/guide/sources.sha256"])
      expect((await open(path)).status, path).toBe(404);
  });
});
