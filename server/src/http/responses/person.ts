import { storable } from "@trunkline/core/storable.ts";
import { z } from "zod";
import type { Passkey } from "../../identity/people/passkeys.ts";
import type { PersonRecord } from "../../identity/people/person.ts";
import type { OpenSession } from "../../identity/people/session.ts";

const ADDRESS = /^[^\s@<>(),;:"[\]\\]{1,64}@[^\s@<>(),;:"[\]\\]{1,190}$/u;

/** An e-mail address, in the one form in which it is kept and compared. That form is looked at too: a wide ＠ becomes an @. */
export const email = storable(z.string().trim().max(254))
  .regex(ADDRESS, "must be an e-mail address")
  .transform((text) => text.normalize("NFKC").toLowerCase())
  .refine((text) => ADDRESS.test(text), "must be an e-mail address")
  .describe("An e-mail address.");

/** What somebody, or something of theirs, is called. */
export const shownName = storable(z.string().trim().min(1).max(100)).refine(
  (text) => !/\p{Cc}/u.test(text),
  "must not hold control characters",
);

/** A password as it is sent. How good it is, is judged later. */
export const password = z.string().min(1).max(1_024);

/** The secret of a link or a ticket. */
export const oneTimeToken = z.string().min(1).max(200);

/** What the current password is for. */
export const current = password
  .optional()
  .describe("The current password. It may be left out in the 15 minutes after a log-in.");

export const personShown = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  email_verified: z.boolean(),
  has_password: z.boolean(),
  has_totp: z.boolean(),
  passkeys: z.number().int().describe("How many passkeys there are."),
});

export function personToWire(person: PersonRecord): z.output<typeof personShown> {
  return {
    id: person.id,
    email: person.email,
    name: person.name,
    email_verified: person.emailVerified,
    has_password: person.passwordHash !== undefined,
    has_totp: person.hasTotp,
    passkeys: person.passkeys,
  };
}

export const passkeyShown = z.object({
  id: z.string(),
  name: z.string(),
  backed_up: z.boolean().describe("Whether it is kept on more than one device."),
  created_at: z.string(),
  last_used_at: z.string().nullable(),
});

export function passkeyToWire(passkey: Passkey): z.output<typeof passkeyShown> {
  return {
    id: passkey.id,
    name: passkey.name,
    backed_up: passkey.backedUp,
    created_at: passkey.createdAt.toISOString(),
    last_used_at: passkey.lastUsedAt?.toISOString() ?? null,
  };
}

export const sessionShown = z.object({
  id: z.string(),
  current: z.boolean().describe("Whether this is the session that asks."),
  address: z.string(),
  agent: z.string().describe("What the browser calls itself."),
  organisation: z.string(),
  created_at: z.string(),
  last_seen_at: z.string(),
  expires_at: z.string(),
});

export function sessionToWire(session: OpenSession, currentId: string): z.output<typeof sessionShown> {
  return {
    id: session.id,
    current: session.id === currentId,
    address: session.address,
    agent: session.agent,
    organisation: session.organisation,
    created_at: session.createdAt.toISOString(),
    last_seen_at: session.lastSeenAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
  };
}

const base64url = z.string().max(65_536);
const credentialId = z
  .string()
  .max(2_048)
  .regex(/^[A-Za-z0-9_-]+$/, "must be base64url");
const extensions = z.record(z.string(), z.unknown()).default({});

/** What a browser answers when it is asked for a passkey. */
export const passkeyAnswer = z.object({
  id: credentialId,
  rawId: credentialId,
  type: z.literal("public-key"),
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: base64url.exactOptional(),
  }),
  clientExtensionResults: extensions,
});

/** What a browser answers when it has made a passkey. */
export const newPasskeyAnswer = z.object({
  id: credentialId,
  rawId: credentialId,
  type: z.literal("public-key"),
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: z.array(z.string().max(32)).max(16).exactOptional(),
  }),
  clientExtensionResults: extensions,
});
