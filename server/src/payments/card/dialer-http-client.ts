import type { DialLimits } from "@trunkline/providers/dialer/dial-request.ts";
import type { Dialer } from "@trunkline/providers/dialer/dialer.ts";
import type { Stripe } from "stripe";

const RESPONSE_BYTES_MAX = 4 * 1024 * 1024;

type HttpClient = ReturnType<typeof Stripe.createFetchHttpClient>;
type HttpResponse = Awaited<ReturnType<HttpClient["makeRequest"]>>;

/** Sends the calls of Stripe's library through the dialer. It uses GET and POST only. */
export class DialerHttpClient implements HttpClient {
  readonly #dialer: Dialer;

  constructor(dialer: Dialer) {
    this.#dialer = dialer;
  }

  getClientName(): string {
    return "dialer";
  }

  async makeRequest(
    ...[host, port, path, method, headers, body, protocol, timeoutMs]: Parameters<HttpClient["makeRequest"]>
  ): Promise<HttpResponse> {
    const limits: DialLimits = {
      connectMs: timeoutMs,
      firstByteMs: timeoutMs,
      silenceMs: timeoutMs,
      wholeMs: timeoutMs,
      responseBytes: RESPONSE_BYTES_MAX,
      chunkBytes: RESPONSE_BYTES_MAX,
    };
    const request = {
      url: `${protocol ?? "https"}://${host}:${port}${path}`,
      headers: textHeaders(headers),
      // The operator has chosen the address.
      mayDialPrivate: true,
      limits,
    };
    const { signal } = new AbortController();
    const response =
      method === "GET"
        ? await this.#dialer.get(request, signal)
        : await this.#dialer.post({ ...request, body }, signal);
    const pieces: Buffer[] = [];
    for await (const piece of response.body) pieces.push(piece);
    const text = Buffer.concat(pieces).toString();
    return {
      getStatusCode: () => response.status,
      getHeaders: () =>
        Object.fromEntries(
          Object.entries(response.headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
        ),
      getRawResponse: () => response,
      toStream: () => null,
      toJSON: async () => JSON.parse(text),
    };
  }
}

/** Headers that the dialer writes itself. */
const OWN_HEADERS: ReadonlySet<string> = new Set(["connection", "content-length", "host"]);

function textHeaders(headers: object): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (OWN_HEADERS.has(name.toLowerCase())) continue;
    if (typeof value === "string" || typeof value === "number") texts[name] = String(value);
  }
  return texts;
}
