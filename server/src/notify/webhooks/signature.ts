import { createHmac, randomBytes } from "node:crypto";
import { Secret } from "@trunkline/core/secret.ts";

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
