import { createHmac, randomBytes } from "node:crypto";
import type { EventType } from "@trunkline/core/alerts.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { newId } from "@trunkline/core/id.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { DialFailure, type DialLimits, type DialResponse } from "@trunkline/providers/dialer/dial-request.ts";
import type { Dialer } from "@trunkline/providers/dialer/dialer.ts";

/** An event on its way to one webhook. */
export interface WebhookDelivery {
  readonly url: string;
  readonly mayDialPrivate: boolean;
  /** The newest first; none where they can't be decrypted. */
  readonly secrets: readonly Secret[];
  readonly eventId: string;
  readonly body: string;
}

/** What became of one attempt to hand a letter over. */
export interface DeliveryAttempt {
  readonly delivered: boolean;
  /** undefined: there was no answer. */
  readonly status: number | undefined;
  /** Why it was not delivered. */
  readonly error: string | undefined;
  /** The beginning of what the receiver said, as far as it was asked for. */
  readonly answer: string;
  readonly ms: number;
}

/** Hands a letter over, and reads this much of the answer. Throws only where the signal ended it. */
export type DeliverWebhook = (
  webhookDelivery: WebhookDelivery,
  signal: AbortSignal,
  answerBytes?: number,
) => Promise<DeliveryAttempt>;

const WAIT_MS = 10_000;
const LIMITS: DialLimits = {
  connectMs: WAIT_MS,
  firstByteMs: WAIT_MS,
  silenceMs: WAIT_MS,
  wholeMs: WAIT_MS,
  // The answer's length is the receiver's business: no more of it is read than is wanted.
  responseBytes: Number.MAX_SAFE_INTEGER,
  chunkBytes: Number.MAX_SAFE_INTEGER,
};

/** The way out for letters, over the one dialer. */
export function createWebhookSender(dialer: Dialer, clock: Clock): DeliverWebhook {
  return async (webhookDelivery, signal, answerBytes = 0) => {
    const begun = clock.monotonicMs();
    const ended = (deliveryAttempt: Omit<DeliveryAttempt, "ms">) => ({
      ...deliveryAttempt,
      ms: clock.monotonicMs() - begun,
    });
    const failed = (error: string) => ended({ delivered: false, status: undefined, error, answer: "" });
    if (webhookDelivery.secrets.length === 0) return failed("the secret can't be decrypted; rotate it");
    const order = {
      url: webhookDelivery.url,
      mayDialPrivate: webhookDelivery.mayDialPrivate,
      headers: {
        "content-type": "application/json",
        "user-agent": "Trunkline-Webhooks",
        ...signedHeaders(webhookDelivery.secrets, webhookDelivery.eventId, webhookDelivery.body, clock.now()),
      },
      body: webhookDelivery.body,
      limits: LIMITS,
    };
    try {
      const reply = await dialer.post(order, signal);
      const answer = await readBeginning(reply, answerBytes);
      const delivered = reply.status >= 200 && reply.status < 300;
      const error = delivered ? undefined : `answered ${reply.status}`;
      return ended({ delivered, status: reply.status, error, answer });
    } catch (error) {
      if (!(error instanceof DialFailure) || error.kind === "aborted") throw error;
      return failed(error.message);
    }
  };
}

/** What came before the answer broke off counts: the status has said already whether the letter arrived. */
async function readBeginning(reply: DialResponse, bytes: number): Promise<string> {
  if (bytes === 0) {
    reply.discardBody();
    return "";
  }
  let beginning = Buffer.alloc(0);
  try {
    for await (const piece of reply.body) {
      beginning = Buffer.concat([beginning, piece]).subarray(0, bytes);
      if (beginning.length === bytes) break;
    }
  } catch (error) {
    if (!(error instanceof DialFailure) || error.kind === "aborted") throw error;
  }
  return beginning.toString("utf8");
}

const SECRET_PREFIX = "whsec_";
const SECRET_BYTES = 32;

/** A new secret for a webhook, in the form of the Standard Webhooks convention. */
export function createWebhookSecret(): Secret {
  return new Secret(SECRET_PREFIX + randomBytes(SECRET_BYTES).toString("base64"));
}

/** What proves to the receiver that an event is ours, unchanged and fresh. Each secret signs, so that one can follow another. */
export function signedHeaders(
  secrets: readonly Secret[],
  eventId: string,
  body: string,
  now: number,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const signatures = secrets.map((secret) => `v1,${sign(secret, `${eventId}.${timestamp}.${body}`)}`);
  return {
    "webhook-id": eventId,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}

function sign(secret: Secret, text: string): string {
  const key = Buffer.from(secret.reveal().slice(SECRET_PREFIX.length), "base64");
  return createHmac("sha256", key).update(text).digest("base64");
}

/** An event as it goes out: one body, the same bytes for every webhook and every attempt. */
export interface WebhookEvent {
  readonly id: string;
  readonly type: EventType | "webhook.test";
  readonly body: string;
}

/** Puts an event into its form. */
export function createWebhookEvent(
  type: WebhookEvent["type"],
  data: Readonly<Record<string, unknown>>,
  now: number,
): WebhookEvent {
  const id = newId(now);
  return { id, type, body: JSON.stringify({ id, type, created_at: new Date(now).toISOString(), data }) };
}
