import { once } from "node:events";
import type { Server as HttpServer } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { createRedirectServer } from "../http/tls/redirect-server.ts";
import { TlsFront } from "../http/tls/tls-front.ts";
import type { Config } from "./config/config.ts";
import { listenElsewhere } from "./listen-elsewhere.ts";
import type { TlsServices } from "./services.ts";

/** What of our own server it uses. */
interface ListeningApp {
  readonly server: HttpServer;
  listen(address: { readonly port: number; readonly host: string }): Promise<string>;
}

/** The ports of a service that speaks TLS: its own, and that of plain HTTP, which sends clients there. */
export class TlsPorts {
  readonly #front: TlsFront;
  readonly #config: Config;
  readonly #tls: TlsServices;
  readonly redirect: HttpServer | undefined;

  constructor(tls: TlsServices, config: Config, inner: HttpServer) {
    const { httpPort } = tls.settings;
    this.#tls = tls;
    this.#config = config;
    this.#front = new TlsFront(inner, tls.certificates, config.limits.headerWaitMs);
    const port = () => (this.service.address() as AddressInfo).port;
    this.redirect =
      httpPort === undefined ? undefined : createRedirectServer(tls.certificates, { origin: config.publicUrl, port });
  }

  /** What accepts the connections of the service's own port. */
  get service(): Server {
    return this.#front.entry;
  }

  /** For the start banner. */
  get notes(): readonly string[] {
    return this.#tls.certificates.current === undefined
      ? ["The first certificate is being ordered. Until it is there, clients can't connect."]
      : [];
  }

  /** Listens, and makes the app serve what comes. Returns the service's address. */
  async listen(app: ListeningApp): Promise<string> {
    const { port, host } = this.#config;
    const address = await this.#front.listen(port, host);
    listenElsewhere(app.server, address);
    const url = await app.listen({ port: address.port, host: address.address });
    const { httpPort } = this.#tls.settings;
    if (this.redirect !== undefined) {
      const listening = once(this.redirect, "listening");
      this.redirect.listen(httpPort, host);
      await listening;
    }
    this.#tls.certificates.start();
    return url.replace(/^http:/, "https:");
  }

  /** Sends clients to new connections, which others accept. */
  sendClientsAway(): void {
    this.#front.sendClientsAway();
  }

  /** Accepts nothing more. Resolves when all connections of HTTP/2 are closed, each after its last answer. */
  async close(): Promise<void> {
    this.redirect?.close(() => undefined);
    this.redirect?.closeAllConnections();
    await this.#front.close();
  }

  destroy(): void {
    this.#front.destroy();
  }
}
