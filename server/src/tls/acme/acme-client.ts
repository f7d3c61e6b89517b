import { createHash, createPublicKey, type KeyObject, sign } from "node:crypto";
import type { CancelSignal } from "@trunkline/core/cancellation.ts";
import { wait } from "@trunkline/core/clock.ts";
import type { DialResponse } from "@trunkline/providers/dialer/dial-request.ts";
import type { Dialer } from "@trunkline/providers/dialer/dialer.ts";
import { z } from "zod";
import { createRequest, newKeyPair } from "./x509.ts";

/** How a domain is proved. */
export type ChallengeKind = "http-01" | "tls-alpn-01";

/** What must be shown at a domain while the ACME server looks. */
export interface Challenge {
  readonly kind: ChallengeKind;
  readonly domain: string;
  readonly token: string;
  readonly keyAuthorization: string;
}

/** A refusal by the ACME server. */
export class AcmeRefusal extends Error {
  override readonly name = "AcmeRefusal";
  /** The problem's type, such as `rateLimited`. */
  readonly type: string;
  /** How long it asks to be left alone; undefined: it does not say. */
  readonly retryAfterMs: number | undefined;

  constructor(type: string, detail: string, retryAfterMs?: number) {
    super(`The ACME server refused: ${detail} (${type})`);
    this.type = type;
    this.retryAfterMs = retryAfterMs;
  }
}

const directorySchema = z.object({ newNonce: z.string(), newAccount: z.string(), newOrder: z.string() });
const orderSchema = z.object({
  status: z.string(),
  authorizations: z.array(z.string()),
  finalize: z.string(),
  certificate: z.string().optional(),
  error: z.unknown().optional(),
});
const authorizationSchema = z.object({
  status: z.string(),
  identifier: z.object({ value: z.string() }),
  challenges: z.array(
    z.object({ type: z.string(), url: z.string(), token: z.string().optional(), error: z.unknown().optional() }),
  ),
});
const problemSchema = z.object({ type: z.string().optional(), detail: z.string().optional() });

const LIMITS = {
  connectMs: 10_000,
  firstByteMs: 30_000,
  silenceMs: 30_000,
  wholeMs: 60_000,
  responseBytes: 1024 * 1024,
  chunkBytes: 1024 * 1024,
};
const NONCE_TRIES = 5;
const POLL_MS = 1_000;
const POLL_MS_MAX = 10_000;

interface AcmeClientOptions {
  readonly dialer: Pick<Dialer, "get" | "post">;
  readonly directory: string;
  /** A key of the curve P-256. */
  readonly accountKey: KeyObject;
  /** Ends everything that runs. */
  readonly signal: CancelSignal;
}

interface JsonReply {
  readonly headers: DialResponse["headers"];
  readonly text: string;
}

/** Orders certificates from an ACME server (RFC 8555). */
export class AcmeClient {
  readonly #options: AcmeClientOptions;
  readonly #jwk: Readonly<Record<"crv" | "kty" | "x" | "y", string>>;
  #directory: z.output<typeof directorySchema> | undefined;
  #account: string | undefined;
  #nonce: string | undefined;

  constructor(options: AcmeClientOptions) {
    this.#options = options;
    const { crv = "", kty = "", x = "", y = "" } = createPublicKey(options.accountKey).export({ format: "jwk" });
    // In the order in which its digest is taken.
    this.#jwk = { crv, kty, x, y };
  }

  /**
   * Orders a certificate for these names. `show` makes a challenge visible at its domain. The operator has agreed to the
   * server's terms.
   */
  async order(
    domains: readonly string[],
    email: string | undefined,
    kind: ChallengeKind,
    show: (challenges: readonly Challenge[]) => Promise<void>,
  ): Promise<{ readonly chain: string; readonly key: string }> {
    await this.#register(email);
    const { newOrder } = await this.#readDirectory();
    const identifiers = domains.map((value) => ({ type: "dns", value }));
    const placed = await this.#post(newOrder, { identifiers });
    const orderUrl = placed.headers.location ?? "";
    const order = orderSchema.parse(JSON.parse(placed.text));
    await this.#prove(order.authorizations, kind, show);
    const keyPair = newKeyPair();
    await this.#poll(orderUrl, orderSchema, ({ status }) => status === "ready" || status === "valid");
    await this.#post(order.finalize, { csr: createRequest(domains, keyPair).toString("base64url") });
    const issued = await this.#poll(orderUrl, orderSchema, ({ status }) => status === "valid");
    const { text: chain } = await this.#post(issued.certificate ?? "", undefined);
    return { chain, key: keyPair.privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
  }

  async #prove(
    urls: readonly string[],
    kind: ChallengeKind,
    show: (challenges: readonly Challenge[]) => Promise<void>,
  ): Promise<void> {
    const open: (Challenge & { readonly url: string; readonly authorization: string })[] = [];
    for (const authorization of urls) {
      const { status, identifier, challenges } = authorizationSchema.parse(
        JSON.parse((await this.#post(authorization, undefined)).text),
      );
      if (status === "valid") continue;
      const challenge = challenges.find(({ type }) => type === kind);
      if (challenge?.token === undefined)
        throw new AcmeRefusal("noChallenge", `${identifier.value} can't be proved by ${kind}.`);
      const { token, url } = challenge;
      const keyAuthorization = `${token}.${this.#thumbprint()}`;
      open.push({ kind, domain: identifier.value, token, keyAuthorization, url, authorization });
    }
    if (open.length === 0) return;
    await show(open);
    for (const { url } of open) await this.#post(url, {});
    for (const { authorization } of open)
      await this.#poll(authorization, authorizationSchema, ({ status }) => status === "valid");
  }

  async #register(email: string | undefined): Promise<void> {
    if (this.#account !== undefined) return;
    const { newAccount } = await this.#readDirectory();
    const contact = email === undefined ? {} : { contact: [`mailto:${email}`] };
    // An account that exists with this key is returned as it is.
    const { headers } = await this.#post(newAccount, { termsOfServiceAgreed: true, ...contact });
    this.#account = headers.location;
  }

  #thumbprint(): string {
    return createHash("sha256").update(JSON.stringify(this.#jwk)).digest("base64url");
  }

  /** Asks again until `isDone`. Throws where the object has become invalid. */
  async #poll<Found extends { readonly status: string }>(
    url: string,
    schema: z.ZodType<Found>,
    isDone: (found: Found) => boolean,
  ): Promise<Found> {
    for (;;) {
      const { headers, text } = await this.#post(url, undefined);
      const found = schema.parse(JSON.parse(text));
      if (isDone(found)) return found;
      if (found.status === "invalid") throw problemOf(found);
      await wait(Math.min(retryAfterMs(headers) ?? POLL_MS, POLL_MS_MAX), this.#options.signal);
    }
  }

  async #readDirectory(): Promise<z.output<typeof directorySchema>> {
    this.#directory ??= directorySchema.parse(JSON.parse((await this.#get(this.#options.directory)).text));
    return this.#directory;
  }

  /** Sends a signed message; `undefined` asks for what is at the address. */
  async #post(url: string, payload: object | undefined): Promise<JsonReply> {
    for (let left = NONCE_TRIES; ; left--) {
      try {
        return await this.#postOnce(url, payload);
      } catch (error) {
        // A nonce may have expired; the refusal came with a new one.
        if (!(error instanceof AcmeRefusal) || error.type !== "badNonce" || left === 0) throw error;
      }
    }
  }

  async #postOnce(url: string, payload: object | undefined): Promise<JsonReply> {
    const { dialer, accountKey, signal } = this.#options;
    const nonce = this.#nonce ?? (await this.#newNonce());
    this.#nonce = undefined;
    const by = this.#account === undefined ? { jwk: this.#jwk } : { kid: this.#account };
    const head = encode({ alg: "ES256", nonce, url, ...by });
    const content = payload === undefined ? "" : encode(payload);
    const key = { key: accountKey, dsaEncoding: "ieee-p1363" as const };
    const signature = sign("sha256", Buffer.from(`${head}.${content}`), key).toString("base64url");
    const body = JSON.stringify({ protected: head, payload: content, signature });
    const headers = { "content-type": "application/jose+json", "user-agent": "Trunkline" };
    const response = await dialer.post({ url, headers, body, mayDialPrivate: true, limits: LIMITS }, signal);
    return this.#read(response);
  }

  async #newNonce(): Promise<string> {
    const { newNonce } = await this.#readDirectory();
    const nonce = this.#nonce ?? (await this.#get(newNonce)).headers["replay-nonce"];
    if (nonce === undefined) throw new AcmeRefusal("noNonce", "it gave no nonce");
    return nonce;
  }

  async #get(url: string): Promise<JsonReply> {
    const headers = { "user-agent": "Trunkline" };
    const response = await this.#options.dialer.get(
      { url, headers, mayDialPrivate: true, limits: LIMITS },
      this.#options.signal,
    );
    return this.#read(response);
  }

  async #read({ status, headers, body }: DialResponse): Promise<JsonReply> {
    const pieces: Buffer[] = [];
    for await (const piece of body) pieces.push(piece);
    const text = Buffer.concat(pieces).toString("utf8");
    this.#nonce = headers["replay-nonce"] ?? this.#nonce;
    if (status >= 400) throw refusalOf(status, text, retryAfterMs(headers));
    return { headers, text };
  }
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function refusalOf(status: number, text: string, retryMs: number | undefined): AcmeRefusal {
  try {
    const { type, detail } = problemSchema.parse(JSON.parse(text));
    return new AcmeRefusal(type?.split(":").at(-1) ?? "unknown", detail ?? `status ${status}`, retryMs);
  } catch {
    return new AcmeRefusal("unknown", `status ${status}`, retryMs);
  }
}

/** Why an order or a proof became invalid. */
function problemOf(found: object): AcmeRefusal {
  const own = "error" in found ? [found.error] : [];
  const challenges = authorizationSchema.safeParse(found).data?.challenges.map(({ error }) => error) ?? [];
  const problem = problemSchema.safeParse([...own, ...challenges].find((error) => error !== undefined)).data;
  return new AcmeRefusal(problem?.type?.split(":").at(-1) ?? "invalid", problem?.detail ?? "it gave no reason");
}

/** `Retry-After`, in seconds or as a date. */
function retryAfterMs(headers: DialResponse["headers"]): number | undefined {
  const text = headers["retry-after"];
  if (text === undefined) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
