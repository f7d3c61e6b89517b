import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { CertificateSource } from "../../tls/certificate-source.ts";

const CHALLENGE_PATH = /^\/\.well-known\/acme-challenge\/([A-Za-z0-9_-]{1,256})$/;
/** A host name or an address, without a port. */
const HOST = /^([A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;
const REQUEST_WAIT_MS = 10_000;

/** Where clients are sent. */
export interface RedirectTarget {
  /** The service's address as people know it; undefined: the host that the client asked for. */
  readonly origin: string | undefined;
  /** The port of TLS at the client's host. */
  readonly port: () => number;
}

/** Answers plain HTTP: with the same address under https, or an ACME server's HTTP-01 challenge. */
export function createRedirectServer(
  certificates: Pick<CertificateSource, "keyAuthorization">,
  target: RedirectTarget,
): Server {
  return createServer(
    { requestTimeout: REQUEST_WAIT_MS, headersTimeout: REQUEST_WAIT_MS, keepAliveTimeout: 1_000 },
    (request, response) => {
      const token = CHALLENGE_PATH.exec(request.url ?? "")?.[1];
      if (token === undefined) redirect(request, response, target);
      else void answerChallenge(certificates, token, response);
    },
  );
}

function redirect({ url = "/", headers }: IncomingMessage, response: ServerResponse, target: RedirectTarget): void {
  const origin = target.origin ?? originOf(headers.host, target.port());
  // Nothing of the request is read beyond its head.
  response.shouldKeepAlive = false;
  if (origin === undefined || !url.startsWith("/")) {
    response.writeHead(400, { "content-type": "text/plain; charset=utf-8" });
    response.end("This port only sends clients to https, and the request has no usable Host header.\n");
    return;
  }
  response.writeHead(308, { location: origin + url, "content-type": "text/plain; charset=utf-8" });
  response.end(`This service speaks https: ${origin}\n`);
}

function originOf(host: string | undefined, port: number): string | undefined {
  const name = HOST.exec(host ?? "")?.[1];
  return name === undefined ? undefined : `https://${name}${port === 443 ? "" : `:${port}`}`;
}

async function answerChallenge(
  certificates: Pick<CertificateSource, "keyAuthorization">,
  token: string,
  response: ServerResponse,
): Promise<void> {
  // A store that is away is no challenge; the ACME server asks again.
  const answer = await certificates.keyAuthorization(token).catch(() => undefined);
  response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/octet-stream" });
  response.end(answer ?? "");
}
