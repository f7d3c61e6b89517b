import { once } from "node:events";
import type { Server as HttpServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import {
  createSecureContext,
  createServer as createTlsServer,
  type SecureContextOptions,
  type TLSSocket,
} from "node:tls";
import type { Certificate } from "../../tls/certificate.ts";
import type { CertificateSource } from "../../tls/certificate-source.ts";
import { Http2Sessions } from "./http2-sessions.ts";

/** The protocol of a TLS-ALPN-01 challenge. */
const CHALLENGE_PROTOCOL = "acme-tls/1";

/** TLS 1.3, and of TLS 1.2 what encrypts and authenticates at once with keys that are used for one connection. */
const TLS_TERMS: SecureContextOptions = {
  minVersion: "TLSv1.2",
  ciphers: [
    "TLS_AES_128_GCM_SHA256",
    "TLS_AES_256_GCM_SHA384",
    "TLS_CHACHA20_POLY1305_SHA256",
    "ECDHE-ECDSA-AES128-GCM-SHA256",
    "ECDHE-RSA-AES128-GCM-SHA256",
    "ECDHE-ECDSA-AES256-GCM-SHA384",
    "ECDHE-RSA-AES256-GCM-SHA384",
    "ECDHE-ECDSA-CHACHA20-POLY1305",
    "ECDHE-RSA-CHACHA20-POLY1305",
  ].join(":"),
  // None of them is weak, and a client knows what its machine computes fastest.
  honorCipherOrder: false,
};

/**
 * Ends TLS before a server of plain HTTP, and passes the connections on to it: those of HTTP/1.1 as they are, each
 * request of HTTP/2 on a connection of its own.
 */
export class TlsFront {
  /** What listens. Connections that were accepted elsewhere are emitted on it. */
  readonly entry: Server;
  readonly #tls;
  readonly #challenges;
  readonly #http2: Http2Sessions;
  readonly #sockets = new Set<Socket>();

  /** `handshakeWaitMs` is how long a client may take for the handshake. */
  constructor(inner: HttpServer, certificates: CertificateSource, handshakeWaitMs: number) {
    this.#http2 = new Http2Sessions(inner);
    this.#tls = createTlsServer(
      { ...contextOf(certificates.current), ALPNProtocols: ["h2", "http/1.1"], handshakeTimeout: handshakeWaitMs },
      (socket) => {
        if (socket.alpnProtocol === "h2") this.#http2.accept(socket);
        else inner.emit("connection", socket);
      },
    );
    certificates.onChange(() => this.#tls.setSecureContext(contextOf(certificates.current)));
    this.#challenges = createChallengeServer(certificates, handshakeWaitMs);
    for (const server of [this.#tls, this.#challenges])
      server.on("tlsClientError", (_error, socket) => socket.destroy());
    this.entry = createTcpServer({ noDelay: true }, (socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
      socket.on("error", () => undefined);
      if (!certificates.expectsTlsChallenge) this.#tls.emit("connection", socket);
      else this.#passOnByProtocol(socket, handshakeWaitMs);
    });
  }

  async listen(port: number, host: string): Promise<AddressInfo> {
    const listening = once(this.entry, "listening");
    this.entry.listen(port, host);
    await listening;
    return this.entry.address() as AddressInfo;
  }

  /** Sends clients of HTTP/2 to new connections. */
  sendClientsAway(): void {
    this.#http2.close();
  }

  /** Accepts nothing more, and closes each connection of HTTP/2 after its last answer. Resolves when all are closed. */
  async close(): Promise<void> {
    // Where another process accepts, it does not listen itself.
    this.entry.close(() => undefined);
    this.#http2.close();
    await this.#http2.closed();
  }

  destroy(): void {
    this.#http2.destroy();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Looks at what a client asks for. Node chooses the certificate before it shows the protocol. */
  #passOnByProtocol(socket: Socket, waitMs: number): void {
    const late = setTimeout(() => socket.destroy(), waitMs);
    socket.once("close", () => clearTimeout(late));
    socket.once("readable", () => {
      clearTimeout(late);
      const hello: Buffer | null = socket.read();
      if (hello === null) return void socket.destroy();
      socket.unshift(hello);
      const server = hello.includes(CHALLENGE_PROTOCOL) ? this.#challenges : this.#tls;
      server.emit("connection", socket);
    });
  }
}

/** Shows an ACME server the certificate that it asks for, and closes the connection. */
function createChallengeServer(certificates: CertificateSource, handshakeTimeout: number) {
  return createTlsServer(
    {
      ALPNProtocols: [CHALLENGE_PROTOCOL],
      handshakeTimeout,
      SNICallback: (name, done) => {
        const certificate = certificates.challengeCertificate(name.toLowerCase());
        if (certificate === undefined) done(new Error("There is no challenge for this name."));
        else done(null, createSecureContext(contextOf(certificate)));
      },
    },
    (socket: TLSSocket) => socket.on("error", () => undefined).end(),
  );
}

/** Without a certificate, which is still to come, every handshake fails. */
function contextOf(certificate: Certificate | undefined): SecureContextOptions {
  if (certificate === undefined) return TLS_TERMS;
  return { ...TLS_TERMS, cert: certificate.chain, key: certificate.key.reveal() };
}
