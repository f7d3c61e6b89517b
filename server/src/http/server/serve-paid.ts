import { createHash } from "node:crypto";
import type { Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { ANONYMOUS } from "../../payments/x402/x402-payments.ts";
import { quoteUnpaid } from "../../pipeline/plan-route.ts";
import type { InferenceExchange } from "./incoming-request.ts";

/** Whether a request has neither a key nor a session, where such requests can be paid for. */
export function isUnpaid({ services, authorization, session }: InferenceExchange): boolean {
  return services.x402 !== undefined && authorization === undefined && session === undefined;
}

/**
 * The caller that a payment stands for. Without a payment, or with one that is not valid, the request is refused with the
 * terms on which it is served.
 */
export async function acceptPayment(exchange: InferenceExchange): Promise<Caller> {
  const { services, request, trace, endpoint } = exchange;
  const { x402 } = services;
  if (x402 === undefined) throw new Error("The service takes no payments by x402.");
  // Each address counts by itself, as a key does.
  const stranger = { ...ANONYMOUS, keyId: idOfAddress(exchange.address) };
  await services.limits.rateLimiter.admit(stranger, trace);
  services.limits.admissionQueue.requireOperationPlace();
  requireSmallBody(exchange);
  const inference = await exchange.readForQuote();
  const context = { requestId: trace.requestId, receivedAt: trace.receivedAt, random: () => 0, explores: false };
  const { worst, least } = await quoteUnpaid(services, stranger, inference, context);
  if (worst === 0n)
    throw new Fault("missing_api_key", "What costs nothing needs a key: `Authorization: Bearer <key>`.");
  const origin = services.config.publicUrl ?? `http://${request.headers.host ?? "localhost"}`;
  const quote = { worst, least, url: `${origin}${endpoint.path}` };
  const header = request.headers["payment-signature"];
  if (header === undefined || header === "") return x402.askForPayment(quote, "PAYMENT-SIGNATURE header is required");
  return x402.accept(String(header), quote);
}

/** Strangers may send no more than a body without attachments, and must say how much it is. */
function requireSmallBody({ services, request }: InferenceExchange): void {
  const { bodyBytes } = services.config.limits;
  const length = request.headers["content-length"];
  if (length !== undefined && Number(length) <= bodyBytes) return;
  throw new Fault(
    "payload_too_large",
    `Without a key, a body may have up to ${bodyBytes} bytes and needs \`Content-Length\`.`,
  );
}

function idOfAddress(address: string): string {
  const digits = createHash("sha256").update(address).digest("hex");
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    digits.slice(12, 16),
    digits.slice(16, 20),
    digits.slice(20, 32),
  ].join("-");
}
