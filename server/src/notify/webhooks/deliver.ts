import { createHmac, randomBytes } from "node:crypto";
import type { EventType } from "@trunkline/core/alerts.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { newId } from "@trunkline/core/id.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { DialFailure, type DialLimits, type DialResponse } from "@trunkline/providers/dialer/dial-request.ts";
import type { Dialer } from "@trunkline/providers/dialer/dialer.ts";

/** The delivery of an event to one webhook. */
export interface WebhookDelivery {
  readonly url: string;
  readonly mayDialPrivate: boolean;
  /** Newest first; empty where they can't be decrypted. */
  readonly secrets: readonly Secret[];
  readonly eventId: string;
  readonly body: string;
}

/** The result of one attempt to deliver. */
export interface DeliveryAttempt {
  readonly delivered: boolean;
  /** undefined: there was no response. */
  readonly status: number | undefined;
  /** Why it was not delivered. */
  readonly error: string | undefined;
  /** The beginning of the response's body, up to the requested bytes. */
  readonly answer: string;
  readonly ms: number;
}

/** Delivers an event, and reads up to `answerBytes` of the response. Throws only when the signal aborts. */
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
  // Responses may have any length: no more than `answerBytes` is read.
  responseBytes: Number.MAX_SAFE_INTEGER,
  chunkBytes: Number.MAX_SAFE_INTEGER,
};

export function createWebhookSender(dialer: Dialer, clock: Clock): DeliverWebhook {
  return async (webhookDelivery, signal, answerBytes = 0) => {
    const startedMs = clock.monotonicMs();
    const ended = (deliveryAttempt: Omit<DeliveryAttempt, "ms">) => ({
      ...deliveryAttempt,
      ms: clock.monotonicMs() - startedMs,
    });
    const failed = (error: string) => ended({ delivered: false, status: undefined, error, answer: "" });
    if (webhookDelivery.secrets.length === 0) return failed("the secret can't be decrypted; rotate it");
    const request = {
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
      const response = await dialer.post(request, signal);
      const answer = await readBeginning(response, answerBytes);
      const delivered = response.status >= 200 && response.status < 300;
      const error = delivered ? undefined : `answered ${response.status}`;
      return ended({ delivered, status: response.status, error, answer });
    } catch (error) {
      if (!(error instanceof DialFailure) || error.kind === "aborted") throw error;
      return failed(error.message);
    }
  };
}

/** A body that breaks off is no failure: the status has already shown whether the event was accepted. */
async function readBeginning(response: DialResponse, bytes: number): Promise<string> {
  if (bytes === 0) {
    response.discardBody();
    return "";
  }
  let beginning = Buffer.alloc(0);
  try {
    for await (const chunk of response.body) {
      beginning = Buffer.concat([beginning, chunk]).subarray(0, bytes);
      if (beginning.length === bytes) break;
    }
  } catch (error) {
    if (!(error instanceof DialFailure) || error.kind === "aborted") throw error;
  }
  return beginning.toString("utf8");
}

const SECRET_PREFIX = "whsec_";
const SECRET_BYTES = 32;

/** A new secret for a webhook, in the format of Standard Webhooks. */
export function createWebhookSecret(): Secret {
  return new Secret(SECRET_PREFIX + randomBytes(SECRET_BYTES).toString("base64"));
}

/** Headers that prove an event's origin, integrity and time. Every valid secret signs, so that secrets can be rotated. */
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

/** An event as it is sent: the same bytes for every webhook and every attempt. */
export interface WebhookEvent {
  readonly id: string;
  readonly type: EventType | "webhook.test";
  readonly body: string;
}

export function createWebhookEvent(
  type: WebhookEvent["type"],
  data: Readonly<Record<string, unknown>>,
  now: number,
): WebhookEvent {
  const id = newId(now);
  return { id, type, body: JSON.stringify({ id, type, created_at: new Date(now).toISOString(), data }) };
}
