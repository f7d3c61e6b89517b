import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { copyFile, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type ClientHttp2Session, connect as connectHttp2, constants } from "node:http2";
import { get as getHttps } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer, text } from "node:stream/consumers";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type CertificatePaths, TestAuthority } from "../../../test/support/test-certificate.ts";
import { CertificateFiles } from "../../tls/certificate-files.ts";
import { hstsResponse } from "./hsts-response.ts";
import { TlsFront } from "./tls-front.ts";

let authority: TestAuthority;
let files: CertificatePaths;
let certificates: CertificateFiles;
let front: TlsFront;
let port: number;
const warnings: string[] = [];

/** What the inner server does with a request. */
let serve: (request: IncomingMessage, response: ServerResponse) => void;
const inner = createServer({ ServerResponse: hstsResponse(600) }, (request, response) => serve(request, response));

beforeAll(async () => {
  authority = await TestAuthority.create();
  const issued = await authority.issue("first.test");
  files = { cert: join(authority.folder, "tls.pem"), key: join(authority.folder, "tls.key") };
  await replaceFiles(issued);
  certificates = await CertificateFiles.open({
    certFile: files.cert,
    keyFile: files.key,
    onWarning: (words) => warnings.push(words),
  });
  front = new TlsFront(inner, certificates, 5_000);
  port = (await front.listen(0, "127.0.0.1")).port;
});

beforeEach(() => {
  serve = (request, response) => void echo(request, response);
});

afterAll(async () => {
  front.destroy();
  await front.close();
  await certificates.stop();
  await authority.remove();
});

async function replaceFiles({ cert, key }: CertificatePaths): Promise<void> {
  await copyFile(key, files.key);
  await copyFile(cert, files.cert);
}

async function echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await buffer(request);
  response.writeHead(200, [
    "set-cookie",
    "a=1",
    "set-cookie",
    "b=2",
    "x-method",
    request.method ?? "",
    "x-url",
    request.url ?? "",
    "x-host",
    request.headers.host ?? "",
    "x-cookie",
    request.headers.cookie ?? "",
    "x-address",
    request.socket.remoteAddress ?? "",
    "x-encrypted",
    String((request.socket as TLSSocket).encrypted),
  ]);
  response.end(body);
}

async function withSession<Result>(work: (session: ClientHttp2Session) => Promise<Result>): Promise<Result> {
  const session = connectHttp2(`https://localhost:${port}`, { ca: authority.ca });
  session.on("error", () => undefined);
  try {
    return await work(session);
  } finally {
    session.destroy();
  }
}

interface Http2Answer {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

async function ask(
  session: ClientHttp2Session,
  headers: Readonly<Record<string, string | string[]>>,
  body?: string | Buffer,
): Promise<Http2Answer> {
  const stream = session.request(headers, { endStream: body === undefined });
  if (body !== undefined) stream.end(body);
  const [[answered], bytes] = await Promise.all([once(stream, "response"), buffer(stream)]);
  return { headers: answered as Readonly<Record<string, unknown>>, body: bytes };
}

function getHttp1(path = "/"): Promise<{ readonly response: IncomingMessage; readonly body: string }> {
  return new Promise((resolve, reject) => {
    getHttps({ port, host: "localhost", path, ca: authority.ca, agent: false }, (response) => {
      text(response).then((body) => resolve({ response, body }), reject);
    }).on("error", reject);
  });
}

/** The common name of the certificate that a new connection is shown. */
async function shownName(): Promise<string> {
  const socket = connectTls({ port, host: "127.0.0.1", servername: "localhost", ca: authority.ca });
  await once(socket, "secureConnect");
  const name = String(socket.getPeerCertificate().subject.CN);
  socket.destroy();
  return name;
}

describe("a TLS front", () => {
  it("serves HTTP/1.1, and tells browsers to use TLS alone", async () => {
    const { response } = await getHttp1("/path?q=1");
    expect(response.statusCode).toBe(200);
    expect(response.headers["strict-transport-security"]).toBe("max-age=600");
    expect(response.headers["x-url"]).toBe("/path?q=1");
    expect(response.headers["x-encrypted"]).toBe("true");
  });

  it("refuses TLS 1.1 and ciphers that only encrypt", async () => {
    const attempt = async (terms: object) => {
      const socket = connectTls({ port, host: "127.0.0.1", servername: "localhost", ca: authority.ca, ...terms });
      const outcome = await Promise.race([
        once(socket, "secureConnect").then(() => socket.getProtocol()),
        once(socket, "error").then(() => "refused"),
      ]).catch(() => "refused");
      socket.destroy();
      return outcome;
    };
    expect(await attempt({ minVersion: "TLSv1.1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" })).toBe(
      "refused",
    );
    expect(await attempt({ maxVersion: "TLSv1.2", ciphers: "ECDHE-ECDSA-AES128-SHA256" })).toBe("refused");
    expect(await attempt({ maxVersion: "TLSv1.2" })).toBe("TLSv1.2");
    expect(await attempt({})).toBe("TLSv1.3");
  });

  it("shows a new certificate to new connections, keeps the open ones, and keeps the old one where the new is broken", async () => {
    expect(await shownName()).toBe("first.test");
    await withSession(async (session) => {
      await ask(session, { ":path": "/" });
      await replaceFiles(await authority.issue("second.test"));
      await certificates.refresh();
      expect(await shownName()).toBe("first.test");
      await certificates.refresh();
      expect(await shownName()).toBe("second.test");
      await writeFile(files.cert, "no certificate");
      for (let n = 0; n < 3; n++) await certificates.refresh();
      expect(await shownName()).toBe("second.test");
      expect(warnings).toEqual([
        "The new TLS certificate can't be used, and the old one stays. The certificate's file holds no certificate in PEM form.",
      ]);
      expect((await ask(session, { ":path": "/" })).headers[":status"]).toBe(200);
    });
  });

  it("fails no request while the certificate changes under load", async () => {
    let isOver = false;
    let served = 0;
    const load = Array.from({ length: 4 }, async (_, n) => {
      while (!isOver) {
        if (n % 2 === 0) expect((await getHttp1()).response.statusCode).toBe(200);
        else
          await withSession(async (session) =>
            expect((await ask(session, { ":path": "/" })).headers[":status"]).toBe(200),
          );
        served++;
      }
    });
    for (const name of ["third.test", "fourth.test"]) {
      await replaceFiles(await authority.issue(name));
      await certificates.refresh();
      await certificates.refresh();
      expect(await shownName()).toBe(name);
    }
    isOver = true;
    await Promise.all(load);
    expect(served).toBeGreaterThan(4);
  });
});

describe("HTTP/2", () => {
  it("reaches the server as a plain request, with the client's address", async () => {
    await withSession(async (session) => {
      const sent = { ":method": "POST", ":path": "/v1?x=y", cookie: ["a=1", "b=2"], te: "trailers" };
      const { headers, body } = await ask(session, sent, "hello");
      expect(body.toString()).toBe("hello");
      expect(headers).toMatchObject({
        ":status": 200,
        "x-method": "POST",
        "x-url": "/v1?x=y",
        "x-host": `localhost:${port}`,
        "x-cookie": "a=1; b=2",
        "x-address": "127.0.0.1",
        "x-encrypted": "true",
        "set-cookie": ["a=1", "b=2"],
        "strict-transport-security": "max-age=600",
      });
      expect(headers).not.toHaveProperty("connection");
      expect(headers).not.toHaveProperty("transfer-encoding");
      expect((await ask(session, { ":method": "HEAD", ":path": "/" })).body.length).toBe(0);
      expect((await ask(session, { ":method": "DELETE", ":path": "/" })).headers["x-method"]).toBe("DELETE");
      expect((await ask(session, { ":method": "CONNECT", ":authority": "a:1" })).headers[":status"]).toBe(400);
    });
  });

  it("carries large bodies both ways, at the reader's pace", async () => {
    const body = randomBytes(3 * 1024 * 1024);
    const answers = await withSession((session) =>
      Promise.all([1, 2].map(() => ask(session, { ":method": "POST", ":path": "/" }, body))),
    );
    for (const answer of answers) expect(answer.body.equals(body)).toBe(true);

    let written = 0;
    serve = (_request, response) => {
      const piece = Buffer.alloc(64 * 1024);
      const more = () => {
        if (written++ === 64) response.end();
        else if (response.write(piece)) more();
        else response.once("drain", more);
      };
      more();
    };
    await withSession(async (session) => {
      const stream = session.request({ ":path": "/" });
      await once(stream, "response");
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(written).toBeLessThan(32);
      expect((await buffer(stream)).length).toBe(64 * 64 * 1024);
    });
  });

  it("passes each piece of a streamed answer on at once, and a hang-up back", async () => {
    let hungUp: Promise<unknown> | undefined;
    serve = (_request, response) => {
      hungUp = once(response, "close");
      response.write("data: 1\n\n");
    };
    await withSession(async (session) => {
      const stream = session.request({ ":path": "/" });
      const [piece] = await once(stream, "data");
      expect(String(piece)).toBe("data: 1\n\n");
      stream.close(constants.NGHTTP2_CANCEL);
      await hungUp;
    });
    serve = (_request, response) => {
      response.write("data: 1\n\n");
      setImmediate(() => response.destroy());
    };
    await withSession(async (session) => {
      const stream = session.request({ ":path": "/" });
      stream.resume();
      await expect(once(stream, "end")).rejects.toThrow("NGHTTP2_INTERNAL_ERROR");
    });
  });

  it("serves 100 requests at once on one connection", async () => {
    const waiting: ServerResponse[] = [];
    serve = (_request, response) => {
      waiting.push(response);
      if (waiting.length === 100) for (const one of waiting) one.end("done");
    };
    const answers = await withSession((session) =>
      Promise.all(Array.from({ length: 100 }, () => ask(session, { ":path": "/" }))),
    );
    expect(answers.every(({ body }) => body.toString() === "done")).toBe(true);
  });

  it("answers before the body is complete, where the server does", async () => {
    serve = (_request, response) => response.writeHead(401).end("no");
    await withSession(async (session) => {
      const stream = session.request({ ":method": "POST", ":path": "/" });
      stream.write("a beginning");
      const [[headers], body] = await Promise.all([once(stream, "response"), text(stream)]);
      expect((headers as Record<string, unknown>)[":status"]).toBe(401);
      expect(body).toBe("no");
      await once(stream, "close");
      expect(stream.rstCode).toBe(constants.NGHTTP2_NO_ERROR);
    });
  });

  describe("where no time passes", () => {
    // On a busy machine a client may else not get to more than it may cancel each second.
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ["performance"] });
    });
    afterEach(() => {
      vi.useRealTimers();
    });

    it("closes the connection of a client that cancels hundreds of requests", async () => {
      serve = () => undefined;
      await withSession(async (session) => {
        const gone = once(session, "goaway");
        for (let n = 0; n < 300 && !session.destroyed; n++) {
          const stream = session.request({ ":path": "/" });
          stream.on("error", () => undefined);
          await new Promise((resolve) => setImmediate(resolve));
          stream.close(constants.NGHTTP2_CANCEL);
        }
        expect((await gone)[0]).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM);
      });
    });
  });

  it("is what curl chooses", async () => {
    const args = [
      "-sS",
      "--http2",
      "--cacert",
      authority.caFile,
      "-w",
      "%{http_version}",
      `https://localhost:${port}/`,
    ];
    const { stdout } = await promisify(execFile)("curl", [...args, "-d", "hi "]);
    expect(stdout).toBe("hi 2");
  });

  it("finishes its answers when the front closes, and takes no more", async () => {
    const own = new TlsFront(inner, certificates, 5_000);
    const { port: ownPort } = (await own.listen(0, "127.0.0.1")) as AddressInfo;
    let finish: () => void = () => undefined;
    serve = (_request, response) => {
      response.write("begun ");
      finish = () => response.end("ended");
    };
    const session = connectHttp2(`https://localhost:${ownPort}`, { ca: authority.ca });
    const stream = session.request({ ":path": "/" });
    await once(stream, "response");
    const closed = own.close();
    await once(session, "goaway");
    finish();
    expect(await text(stream)).toBe("begun ended");
    await closed;
  });
});
