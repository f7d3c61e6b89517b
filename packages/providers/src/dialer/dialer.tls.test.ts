import { createServer } from "node:https";
import { TLSSocket } from "node:tls";
import { makeCertificate } from "@trunkline/testing/throwaway-certificate.ts";
import { expectFailure, openForTest, orderTo, readAll } from "@trunkline/testing/throwaway-dialer.ts";
import { listen } from "@trunkline/testing/throwaway-server.ts";
import { describe, expect, it } from "vitest";

const { key, cert } = makeCertificate("api.test");
const atHome = async () => ["127.0.0.1"];

async function serveHttps() {
  const names: unknown[] = [];
  const https = createServer({ key, cert }, (request, response) => {
    names.push(request.socket instanceof TLSSocket && request.socket.servername);
    response.end("hello");
  });
  const server = await listen(https);
  return { server, names };
}

describe("the dialer over TLS", () => {
  it("asks for the name, checks the certificate against it, and uses the connection again", async () => {
    const { server, names } = await serveHttps();
    const dialer = openForTest({ lookup: atHome, ca: cert });
    const order = orderTo(`https://api.test:${server.port}/`);
    expect(await readAll(dialer, order)).toBe("hello");
    expect(await readAll(dialer, order)).toBe("hello");
    expect(names).toEqual(["api.test", "api.test"]);
    expect(server.connections).toBe(1);
  });

  it("leaves out the dot that ends a full name", async () => {
    const { server, names } = await serveHttps();
    const dialer = openForTest({ lookup: atHome, ca: cert });
    expect(await readAll(dialer, orderTo(`https://api.test.:${server.port}/`))).toBe("hello");
    expect(names).toEqual(["api.test"]);
  });

  it("does not lend a guarded call the connection of one that may dial private addresses", async () => {
    const { server, names } = await serveHttps();
    const dialer = openForTest({ lookup: atHome, ca: cert });
    const url = `https://api.test:${server.port}/`;
    expect(await readAll(dialer, orderTo(url))).toBe("hello");
    await expectFailure(readAll(dialer, orderTo(url, {}, { mayDialPrivate: false })), "forbidden-address");
    expect(names).toHaveLength(1);
    expect(server.connections).toBe(1);
  });

  it("refuses a certificate that nobody vouches for", async () => {
    const { server, names } = await serveHttps();
    const dialer = openForTest({ lookup: atHome });
    await expectFailure(readAll(dialer, orderTo(`https://api.test:${server.port}/`)), "tls");
    expect(names).toEqual([]);
  });

  it.each(["other.test", "127.0.0.1"])("refuses a certificate for another name than %s", async (host) => {
    const { server, names } = await serveHttps();
    const dialer = openForTest({ lookup: atHome, ca: cert });
    await expectFailure(readAll(dialer, orderTo(`https://${host}:${server.port}/`)), "tls");
    expect(names).toEqual([]);
  });
});
