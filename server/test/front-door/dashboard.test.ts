import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { head, RawConnection } from "@trunkline/testing/raw-connection.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type StartedService, startService } from "../support/started-service.ts";

// The dashboard itself comes from `npm run build`, which `npm test` runs first.
let service: StartedService;

beforeAll(async () => {
  service = await startService();
});

afterAll(async () => {
  await service.stop();
});

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

const open = (path: string, headers: Readonly<Record<string, string>> = { accept: BROWSER }) =>
  service.call("GET", path, undefined, { key: null, headers });

async function scriptPath(): Promise<string> {
  return /src="(\/assets\/[^"]+\.js)"/.exec((await open("/")).text)?.[1] ?? "no script in the page";
}

describe("the dashboard's page", () => {
  it.each(["/", "/keys", "/models/acme/large", "/requests/0199?tab=route", "/log-in", "/no-such-page"])(
    "is what a browser gets at %s",
    async (path) => {
      const { status, headers, text } = await open(path);
      expect(status).toBe(200);
      expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
      expect(text).toContain('<div id="root">');
    },
  );

  it("allows no script and no style but its own, and a style with the nonce of this very answer", async () => {
    const nonces = new Set<string>();
    for (const path of ["/", "/", "/usage"]) {
      const { headers, text } = await open(path);
      const policy = headers.get("content-security-policy") ?? "";
      const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? "";
      expect(policy).toBe(
        `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data: blob: https:; media-src 'self' data: blob: https:; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
      );
      expect(text).toContain(`<meta name="style-nonce" content="${nonce}"`);
      expect(text).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\son\w+=/);
      expect(Buffer.from(nonce, "base64").length).toBe(16);
      nonces.add(nonce);
    }
    expect(nonces.size).toBe(3);
  });

  it("closes what it does not use, and leaves passkeys open to itself", async () => {
    const { headers } = await open("/");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
    expect(headers.get("permissions-policy")).toContain("camera=()");
    expect(headers.get("permissions-policy")).toContain("publickey-credentials-get=(self)");
  });

  it("answers HEAD like GET, without the body", async () => {
    for (const path of ["/", "/keys"]) {
      const answer = await service.call("HEAD", path, undefined, { key: null, headers: { accept: BROWSER } });
      expect([answer.status, answer.text]).toEqual([200, ""]);
      expect(answer.headers.get("content-type")).toContain("text/html");
    }
  });

  it("is at / for everyone, and elsewhere only for those who ask for a page", async () => {
    expect((await open("/", { accept: "*/*" })).status).toBe(200);
    for (const accept of ["*/*", "application/json"])
      expectRefusal(await open("/no-such-page", { accept }), 404, "not_found");
    const post = await service.call("POST", "/keys", {}, { key: null, headers: { accept: BROWSER } });
    expectRefusal(post, 404, "not_found");
  });

  it("never stands in for the API or its pages", async () => {
    expectRefusal(await open("/v1/unknown"), 401, "missing_api_key");
    expectRefusal(await open("/v1/keys"), 401, "missing_api_key");
    for (const path of ["/v2/models", "/docs/unknown", "/openapi.yaml", "/assets/unknown.js", "/metrics/x"])
      expectRefusal(await open(path), 404, "not_found");
  });
});

describe("the dashboard's files", () => {
  it("may be kept for ever where their name has their digest", async () => {
    const { status, headers, text } = await open(await scriptPath());
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(text.length).toBeGreaterThan(10_000);
  });

  it("are asked about again where it has not", async () => {
    for (const [path, type] of [
      ["/theme.js", "text/javascript; charset=utf-8"],
      ["/favicon.svg", "image/svg+xml"],
      ["/manifest.webmanifest", "application/manifest+json; charset=utf-8"],
    ] as const) {
      const first = await open(path);
      expect(first.headers.get("content-type"), path).toBe(type);
      expect(first.headers.get("cache-control")).toBe("no-cache");
      const again = await open(path, { "if-none-match": first.headers.get("etag") ?? "" });
      expect([again.status, again.text]).toEqual([304, ""]);
    }
  });

  it("come packed for those who take it so", async () => {
    const path = await scriptPath();
    const plain = await open(path, { "accept-encoding": "identity" });
    expect(plain.headers.get("content-encoding")).toBeNull();
    for (const encoding of ["br", "gzip"]) {
      const packed = await open(path, { "accept-encoding": encoding });
      expect(packed.headers.get("content-encoding")).toBe(encoding);
      expect(packed.headers.get("vary")).toBe("accept-encoding");
      expect(Number(packed.headers.get("content-length"))).toBeLessThan(plain.text.length / 2);
      // What fetch unpacked is the same script.
      expect(packed.text).toBe(plain.text);
    }
  });

  it.each([
    "/../package.json",
    "/assets/../../main.mjs",
    "/assets/..%2f..%2fmain.mjs",
    "/assets/%2e%2e/%2e%2e/main.mjs",
    "/assets/..\\..\\main.mjs",
    "//etc/passwd",
    "/assets//etc/passwd",
    "/sources.sha256",
    "/main.mjs",
  ])("can't be left by a path: %s", async (target) => {
    const client = await RawConnection.open(service.url);
    client.send(head(`GET ${target} HTTP/1.1`, "Host: trunkline", "Accept: */*", "Connection: close"));
    await client.closed();
    expectRefusal(await client.answer(), 404, "not_found");
  });
});
