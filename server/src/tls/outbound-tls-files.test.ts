import { once } from "node:events";
import { copyFile, readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createServer, type Server, type TLSSocket } from "node:tls";
import { createDialer } from "@trunkline/providers/dialer/dialer.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CertificatePaths, TestAuthority } from "../../test/support/test-certificate.ts";
import { OutboundTlsFiles } from "./outbound-tls-files.ts";

const LIMITS = {
  connectMs: 5_000,
  firstByteMs: 5_000,
  silenceMs: 5_000,
  wholeMs: 10_000,
  responseBytes: 10_000,
  chunkBytes: 10_000,
};
let authority: TestAuthority;
let client: CertificatePaths;
/** A provider that demands a certificate, and answers with its name. */
let provider: Server;
let url: string;

beforeAll(async () => {
  authority = await TestAuthority.create();
  const { cert, key } = await authority.issue("provider.test");
  const issued = await authority.issue("gateway-1");
  client = { cert: join(authority.folder, "client.pem"), key: join(authority.folder, "client.key") };
  await copyFile(issued.cert, client.cert);
  await copyFile(issued.key, client.key);
  const pair = { cert: await readFile(cert, "utf8"), key: await readFile(key, "utf8") };
  provider = createServer({ ...pair, ca: authority.ca, requestCert: true }, (socket: TLSSocket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => {
      const name = String(socket.getPeerCertificate().subject.CN);
      socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${name.length}\r\nconnection: close\r\n\r\n${name}`);
    });
  });
  provider.on("tlsClientError", () => undefined);
  provider.listen(0, "127.0.0.1");
  await once(provider, "listening");
  url = `https://localhost:${(provider.address() as AddressInfo).port}/`;
});

afterAll(async () => {
  provider.close();
  await authority.remove();
});

async function ask(files: OutboundTlsFiles): Promise<string> {
  const dialer = createDialer({ tlsTerms: (host) => files.termsOf(host) });
  try {
    const request = { url, headers: {}, mayDialPrivate: true, limits: LIMITS };
    const response = await dialer.get(request, new AbortController().signal);
    const pieces: Buffer[] = [];
    for await (const piece of response.body) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  } finally {
    await dialer.close();
  }
}

describe("TLS with providers", () => {
  it("shows the service's certificate to the hosts that the settings name, and follows its files", async () => {
    const settings = { host: "localhost", caFile: authority.caFile, certFile: client.cert, keyFile: client.key };
    const warnings: string[] = [];
    const files = OutboundTlsFiles.open([settings], (words) => warnings.push(words));
    expect(await ask(files)).toBe("gateway-1");
    const next = await authority.issue("gateway-2");
    await copyFile(next.cert, client.cert);
    await files.sweep();
    expect(warnings[0]).toContain("for localhost can't be used, and the old ones stay");
    expect(await ask(files)).toBe("gateway-1");
    await copyFile(next.key, client.key);
    await files.sweep();
    expect(await ask(files)).toBe("gateway-2");
  });

  it("trusts nothing more for other hosts", async () => {
    const settings = { host: "*.example.com", caFile: authority.caFile, certFile: client.cert, keyFile: client.key };
    const files = OutboundTlsFiles.open([settings], () => undefined);
    expect(files.termsOf("models.example.com")?.cert).toContain("BEGIN CERTIFICATE");
    expect(files.termsOf("example.com")).toBeUndefined();
    expect(files.termsOf("notexample.com")).toBeUndefined();
    await expect(ask(files)).rejects.toThrow("the TLS handshake failed");
  });

  it("refuses a start on files that are missing", () => {
    const settings = { host: "*", caFile: "/none/ca.pem", certFile: undefined, keyFile: undefined };
    expect(() => OutboundTlsFiles.open([settings], () => undefined)).toThrow("for * can't be used. ENOENT");
  });
});
