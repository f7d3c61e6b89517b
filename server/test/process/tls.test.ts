import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { get as getHttp, type IncomingMessage } from "node:http";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { request as requestHttps } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";
import { type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startPebble } from "../support/pebble.ts";
import { type RealtimeUpstream, startRealtimeUpstream } from "../support/realtime-upstream.ts";
import { NO_LAME_DUCK, ProcessSandbox, type SpawnedService } from "../support/spawned-service.ts";
import { TestAuthority } from "../support/test-certificate.ts";
import { createMigratedDatabase, type TestDatabase } from "../support/test-database.ts";

const KEY = "bootstrap-key-of-the-tests_1";
const sandbox = new ProcessSandbox();
let authority: TestAuthority;
let provider: ScriptedProvider;
let realtime: RealtimeUpstream;
let service: SpawnedService;
let url: string;
let httpPort: number;
const databases: TestDatabase[] = [];

beforeAll(async () => {
  [authority, provider, realtime, httpPort] = await Promise.all([
    TestAuthority.create(),
    startProvider(),
    startRealtimeUpstream(),
    freePort(),
  ]);
  const { cert, key } = await authority.issue("service.test");
  const folder = await sandbox.folder();
  const settings = `
limits: { ${NO_LAME_DUCK} }
models:
  - { name: plain, type: text, endpoint: ${provider.endpoint}, pricing: { input_per_1k_tokens: 0.001, output_per_1k_tokens: 0.002 } }
  - { name: talker, type: text, wire: openai, endpoint: ${realtime.url}, capabilities: [realtime], pricing: { input_per_1k_tokens: 0.001, output_per_1k_tokens: 0.002 } }
`;
  await writeFile(join(folder, "trunkline.yaml"), settings);
  service = sandbox.start(folder, {
    ...(await ownStore()),
    TRUNKLINE_BOOTSTRAP_KEY: KEY,
    TRUNKLINE_WORKERS: "2",
    TRUNKLINE_TLS_CERT: cert,
    TRUNKLINE_TLS_KEY: key,
    TRUNKLINE_HTTP_PORT: String(httpPort),
  });
  url = await service.url();
});

afterAll(async () => {
  await sandbox.clear();
  await Promise.all([provider.stop(), realtime.close(), authority.remove()]);
  await Promise.all(databases.map((database) => database.drop()));
});

/** A database of its own: making a server for each would take longer than the tests. */
async function ownStore(): Promise<Readonly<Record<string, string>>> {
  const database = await createMigratedDatabase();
  databases.push(database);
  return { DATABASE_URL: database.url, TRUNKLINE_SECRET: "a secret of the tests" };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

const HEADERS = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };

async function ask(session: ClientHttp2Session, path: string, body?: unknown) {
  const stream = session.request({ ":method": body === undefined ? "GET" : "POST", ":path": path, ...HEADERS });
  stream.end(body === undefined ? undefined : JSON.stringify(body));
  const [[headers], answer] = await Promise.all([once(stream, "response"), text(stream)]);
  return { headers: headers as Readonly<Record<string, unknown>>, answer };
}

async function askHttp1(path: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  const request = requestHttps(url + path, {
    ca: authority.ca,
    headers: { ...HEADERS, ...headers },
    agent: false,
  }).end();
  const [response] = await Promise.race([once(request, "response"), once(request, "upgrade")]);
  return response as IncomingMessage;
}

describe("a service with a certificate and two workers", () => {
  it("says https where it starts", () => {
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(service.stdout).toContain("https://localhost:");
    expect(service.stdout).not.toContain("http://");
  });

  it("answers HTTP/2 whole and streamed, as it answers HTTP/1.1", async () => {
    const session = connectHttp2(url, { ca: authority.ca });
    const body = { task: "chat", model: "plain", input: "Hello" };
    const whole = await ask(session, "/v1/ai/request", body);
    expect(whole.headers).toMatchObject({ ":status": 200, "strict-transport-security": "max-age=31536000" });
    expect(JSON.parse(whole.answer)).toHaveProperty("output");
    const streamed = await ask(session, "/v1/stream", body);
    expect(streamed.headers[":status"]).toBe(200);
    expect(streamed.answer).toContain('"delta"');
    const refused = await ask(session, "/v1/nothing");
    expect(refused.headers[":status"]).toBe(404);
    session.close();

    const plain = await askHttp1("/");
    expect(plain.statusCode).toBe(200);
    expect(plain.headers["strict-transport-security"]).toBe("max-age=31536000");
    plain.destroy();
  });

  it("opens WebSockets over HTTP/1.1", async () => {
    const response = await askHttp1("/v1/realtime?model=talker", {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    });
    expect(response.statusCode).toBe(101);
    response.socket.destroy();
  });

  it("sets cookies that browsers send over TLS alone", async () => {
    const request = requestHttps(`${url}/v1/auth/sign-up`, {
      method: "POST",
      ca: authority.ca,
      agent: false,
      headers: { "content-type": "application/json", origin: url },
    });
    request.end(JSON.stringify({ email: "ann@example.com", name: "Ann", password: "a long pass phrase of mine" }));
    const [response] = (await once(request, "response")) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).toBeLessThan(300);
    for (const cookie of response.headers["set-cookie"] ?? ["none"]) expect(cookie).toContain("; Secure");
  });

  it("sends clients of plain HTTP to https", async () => {
    const request = getHttp({ port: httpPort, path: "/v1/models?x=1", headers: { host: "ai.example.com" } });
    const [response] = (await once(request, "response")) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(308);
    expect(response.headers.location).toBe(`https://ai.example.com:${new URL(url).port}/v1/models?x=1`);
    const strange = getHttp({ port: httpPort, headers: { host: "a b" } });
    const [refused] = (await once(strange, "response")) as [IncomingMessage];
    refused.resume();
    expect(refused.statusCode).toBe(400);
  });
});

describe("a service with names and two workers", () => {
  it("gets its certificate by TLS-ALPN-01, which either worker answers", async () => {
    const port = await freePort();
    const pebble = await startPebble(authority, { http: 1, tls: port });
    const folder = await sandbox.folder();
    const trust = `outbound_tls: [{ host: 127.0.0.1, ca_file: ${authority.caFile} }]`;
    await writeFile(join(folder, "trunkline.yaml"), `limits: { ${NO_LAME_DUCK} }\n${trust}\n`);
    const named = sandbox.start(folder, {
      ...(await ownStore()),
      PORT: String(port),
      TRUNKLINE_WORKERS: "2",
      TRUNKLINE_ACME_DOMAINS: "ai.example.test",
      TRUNKLINE_ACME_AGREE_TERMS: "yes",
      TRUNKLINE_ACME_DIRECTORY: pebble.directory,
    });
    await named.url();
    expect(named.stdout).toContain("https://ai.example.test/first-login#");
    expect(named.stdout).toContain("The first certificate is being ordered.");
    // Both workers get it, and take turns.
    for (let n = 0; n < 5; n++) {
      let certificate: string | undefined;
      const look = async () => (certificate = await shownCertificate(port));
      await expect.poll(look).toBeDefined();
      expect(certificate).toBe("DNS:ai.example.test");
    }
    await named.stop();
    await pebble.stop();
  });
});

/** The names of the certificate that a new connection is shown; undefined: the handshake failed. */
async function shownCertificate(port: number): Promise<string | undefined> {
  const socket = connectTls({ port, host: "127.0.0.1", servername: "ai.example.test", rejectUnauthorized: false });
  const names = await once(socket, "secureConnect").then(
    () => socket.getPeerCertificate().subjectaltname,
    () => undefined,
  );
  socket.destroy();
  return names;
}
