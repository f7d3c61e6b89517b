import { describe, expect, it } from "vitest";
import { readConfig } from "./config.ts";

const read = (variables: Readonly<Record<string, string>>) => readConfig({ TRUNKLINE_WORKERS: "1", ...variables });
const FILES = { TRUNKLINE_TLS_CERT: "/tls/cert.pem", TRUNKLINE_TLS_KEY: "/tls/key.pem" };
const ACME = { TRUNKLINE_ACME_DOMAINS: "AI.example.com, b.example.com", TRUNKLINE_ACME_AGREE_TERMS: "yes" };

describe("the settings of TLS", () => {
  it("are none by default", () => {
    expect(read({}).tls).toBeUndefined();
  });

  it("take a certificate out of files", () => {
    expect(read({ ...FILES, TRUNKLINE_HTTP_PORT: "8081" }).tls).toEqual({
      certificate: { kind: "files", certFile: "/tls/cert.pem", keyFile: "/tls/key.pem" },
      httpPort: 8081,
      hstsSeconds: 31_536_000,
    });
  });

  it("take one from an ACME server, whose first name is then the public address", () => {
    const { tls, publicUrl } = read(ACME);
    expect(tls?.certificate).toEqual({
      kind: "acme",
      domains: ["ai.example.com", "b.example.com"],
      email: undefined,
      directory: "https://acme-v02.api.letsencrypt.org/directory",
    });
    expect(publicUrl).toBe("https://ai.example.com");
    expect(read({ ...ACME, TRUNKLINE_PUBLIC_URL: "https://x.example.com:8443" }).publicUrl).toBe(
      "https://x.example.com:8443",
    );
  });

  it.each([
    [{ TRUNKLINE_TLS_CERT: "/a" }, "Set both TRUNKLINE_TLS_CERT and TRUNKLINE_TLS_KEY"],
    [{ ...FILES, ...ACME }, "Set either"],
    [{ TRUNKLINE_HTTP_PORT: "80" }, "TRUNKLINE_HTTP_PORT only sends clients to https"],
    [{ ...ACME, TRUNKLINE_ACME_AGREE_TERMS: "" }, "needs your agreement to the terms"],
    [{ ...ACME, TRUNKLINE_ACME_DOMAINS: "*.example.com" }, "no wildcards"],
    [{ ...ACME, TRUNKLINE_ACME_EMAIL: "nobody" }, "must be an e-mail address"],
    [{ ...ACME, TRUNKLINE_ACME_DIRECTORY: "http://ca" }, "must begin with https://"],
    [{ ...FILES, TRUNKLINE_HSTS_SECONDS: "soon" }, "must be a whole number of seconds"],
  ])("are refused with a sentence: %j", (variables, words) => {
    expect(() => read(variables)).toThrow(words);
  });
});
