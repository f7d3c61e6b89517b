import { lineSchema, storableText } from "@trunkline/core/field-schemas.ts";
import { z } from "zod";
import type { Passkey } from "../../identity/people/passkeys.ts";
import type { ActiveSession, PersonRecord } from "../../identity/people/person.ts";

const EMAIL_PATTERN = /^[^\s@<>(),;:"[\]\\]{1,64}@[^\s@<>(),;:"[\]\\]{1,190}$/u;

/** An e-mail address in its stored form. The pattern is checked again after normalising, which turns a wide ＠ into @. */
export const emailSchema = storableText(z.string().trim().max(254))
  .regex(EMAIL_PATTERN, "must be an e-mail address")
  .transform((text) => text.normalize("NFKC").toLowerCase())
  .refine((text) => EMAIL_PATTERN.test(text), "must be an e-mail address")
  .describe("An e-mail address.");

/** The name of a person, a passkey or an organisation. */
export const displayNameSchema = lineSchema(100);

/** A password as sent. Its strength is checked later. */
export const passwordSchema = z.string().min(1).max(1_024);

/** The secret of a link or a ticket. */
export const oneTimeTokenSchema = z.string().min(1).max(200);

export const currentPasswordSchema = passwordSchema
  .optional()
  .describe("The current password. It may be left out in the 15 minutes after a log-in.");

export const personResponseSchema = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  email_verified: z.boolean(),
  has_password: z.boolean(),
  has_totp: z.boolean(),
  passkeys: z.number().int().describe("How many passkeys there are."),
});

export function toPersonResponse(person: PersonRecord): z.output<typeof personResponseSchema> {
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

export const passkeyResponseSchema = z.object({
  id: z.string(),
  name: z.string(),
  backed_up: z.boolean().describe("Whether it is kept on more than one device."),
  created_at: z.string(),
  last_used_at: z.string().nullable(),
});

export function toPasskeyResponse(passkey: Passkey): z.output<typeof passkeyResponseSchema> {
  return {
    id: passkey.id,
    name: passkey.name,
    backed_up: passkey.backedUp,
    created_at: passkey.createdAt.toISOString(),
    last_used_at: passkey.lastUsedAt?.toISOString() ?? null,
  };
}

export const sessionResponseSchema = z.object({
  id: z.string(),
  current: z.boolean().describe("Whether this is the session that asks."),
  address: z.string(),
  agent: z.string().describe("What the browser calls itself."),
  organisation: z.string(),
  created_at: z.string(),
  last_seen_at: z.string(),
  expires_at: z.string(),
});

export function toSessionResponse(session: ActiveSession, currentId: string): z.output<typeof sessionResponseSchema> {
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

const base64urlSchema = z.string().max(65_536);
const credentialIdSchema = z
  .string()
  .max(2_048)
  .regex(/^[A-Za-z0-9_-]+$/, "must be base64url");
const extensionsSchema = z.record(z.string(), z.unknown()).default({});

/** A browser's response to a log-in by passkey. */
export const passkeyAssertionSchema = z.object({
  id: credentialIdSchema,
  rawId: credentialIdSchema,
  type: z.literal("public-key"),
  response: z.object({
    clientDataJSON: base64urlSchema,
    authenticatorData: base64urlSchema,
    signature: base64urlSchema,
    userHandle: base64urlSchema.exactOptional(),
  }),
  clientExtensionResults: extensionsSchema,
});

/** A browser's response to the creation of a passkey. */
export const passkeyAttestationSchema = z.object({
  id: credentialIdSchema,
  rawId: credentialIdSchema,
  type: z.literal("public-key"),
  response: z.object({
    clientDataJSON: base64urlSchema,
    attestationObject: base64urlSchema,
    transports: z.array(z.string().max(32)).max(16).exactOptional(),
  }),
  clientExtensionResults: extensionsSchema,
});
