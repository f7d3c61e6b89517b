import { z } from "zod";
import { listPage, pageQuery, pageResponseSchema } from "../../responses/list-response.ts";
import {
  currentPasswordSchema,
  displayNameSchema,
  oneTimeTokenSchema,
  passkeyAttestationSchema,
  passkeyResponseSchema,
  toPasskeyResponse,
} from "../../responses/person.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";
import { reauthenticationOf, serviceOrigin, signedInPerson } from "./browser-session.ts";

const TAG = "Yourself";
const PROOF_DESCRIPTION = "It takes a log-in less than 15 minutes old, or the current password.";
const proofSchema = z.object({ current: currentPasswordSchema });

const createPasskeyOptions = controlEndpoint({
  method: "POST",
  path: "/v1/me/passkeys/options",
  permission: "person.change",
  audit: null,
  status: 200,
  tag: TAG,
  summary: "What a browser needs to make a passkey",
  description: PROOF_DESCRIPTION,
  faults: ["conflict", "recent_login_needed"],
  body: proofSchema,
  bodyOptional: true,
  response: z.object({
    ticket: z.string().describe("Comes back with what the browser made, once, within 5 minutes."),
    options: z.record(z.string(), z.unknown()).describe("WebAuthn's creation options, as JSON."),
  }),
  async handle(operationContext) {
    const { services, request } = operationContext;
    const person = await services.identity.profile.reauthenticate(reauthenticationOf(operationContext));
    return services.identity.passkeys.beginRegistration(serviceOrigin(services, request), person);
  },
});

const addPasskey = controlEndpoint({
  method: "POST",
  path: "/v1/me/passkeys",
  permission: "person.change",
  audit: { action: "passkey.add" },
  status: 201,
  tag: TAG,
  summary: "Add a passkey",
  faults: ["conflict", "not_found"],
  body: z.object({ ticket: oneTimeTokenSchema, response: passkeyAttestationSchema, name: displayNameSchema }),
  response: passkeyResponseSchema,
  async handle(operationContext) {
    const { services, body, request } = operationContext;
    const { id, email } = signedInPerson(operationContext);
    const passkey = await services.identity.passkeys.finishRegistration(serviceOrigin(services, request), id, body);
    services.identity.profile.notify(email, "A passkey was added to your account");
    return toPasskeyResponse(passkey);
  },
});

const listPasskeys = controlEndpoint({
  method: "GET",
  path: "/v1/me/passkeys",
  permission: "person.read",
  status: 200,
  tag: TAG,
  summary: "Your passkeys",
  faults: [],
  query: pageQuery,
  response: pageResponseSchema(passkeyResponseSchema),
  handle: (operationContext) =>
    listPage(
      operationContext.query,
      (limit, cursor) =>
        operationContext.services.identity.passkeys.list(signedInPerson(operationContext).id, limit, cursor),
      toPasskeyResponse,
      (text) => /^[A-Za-z0-9_-]{1,2048}$/.test(text),
    ),
});

const renamePasskey = controlEndpoint({
  method: "PATCH",
  path: "/v1/me/passkeys/:id",
  permission: "person.change",
  audit: { action: "passkey.rename" },
  status: 200,
  tag: TAG,
  summary: "Rename a passkey",
  faults: ["not_found"],
  body: z.object({ name: displayNameSchema }),
  response: passkeyResponseSchema,
  handle: async (operationContext) =>
    toPasskeyResponse(
      await operationContext.services.identity.passkeys.rename(
        signedInPerson(operationContext).id,
        operationContext.params.id ?? "",
        operationContext.body.name,
      ),
    ),
});

const removePasskey = controlEndpoint({
  method: "DELETE",
  path: "/v1/me/passkeys/:id",
  permission: "person.change",
  audit: { action: "passkey.remove" },
  status: 204,
  tag: TAG,
  summary: "Remove a passkey",
  description: `${PROOF_DESCRIPTION} The last way to log in can't be removed.`,
  faults: ["not_found", "conflict", "recent_login_needed"],
  body: proofSchema,
  bodyOptional: true,
  response: z.null(),
  async handle(operationContext) {
    const { profile, passkeys } = operationContext.services.identity;
    const person = await profile.reauthenticate(reauthenticationOf(operationContext));
    await passkeys.remove(person.id, operationContext.params.id ?? "");
    profile.notify(person.email, "A passkey was removed from your account");
    return null;
  },
});

const beginTotp = controlEndpoint({
  method: "POST",
  path: "/v1/me/totp",
  permission: "person.change",
  audit: { action: "second_factor.begin" },
  status: 200,
  tag: TAG,
  summary: "Begin to set up the second factor",
  description: `The secret is shown this once. ${PROOF_DESCRIPTION}`,
  faults: ["conflict", "recent_login_needed"],
  body: proofSchema,
  bodyOptional: true,
  response: z.object({ secret: z.string(), uri: z.string().describe("For the QR code.") }),
  async handle(operationContext) {
    const { profile, secondFactor } = operationContext.services.identity;
    return secondFactor.beginSetup(await profile.reauthenticate(reauthenticationOf(operationContext)));
  },
});

const recoveryCodesSchema = z.object({
  recovery_codes: z.array(z.string()).describe("Ten, each good once. Shown this once."),
});

const confirmTotp = controlEndpoint({
  method: "POST",
  path: "/v1/me/totp/confirm",
  permission: "person.change",
  audit: { action: "second_factor.confirm" },
  status: 200,
  tag: TAG,
  summary: "Confirm the second factor by a code: from now on it is asked for",
  faults: ["conflict"],
  body: z.object({ code: z.string().min(1).max(64) }),
  response: recoveryCodesSchema,
  async handle(operationContext) {
    const { profile, secondFactor } = operationContext.services.identity;
    const { id, email } = signedInPerson(operationContext);
    await profile.countReauthentication(id, operationContext.request.ip);
    const codes = await secondFactor.confirm(id, operationContext.body.code);
    profile.notify(email, "A second factor was added to your account");
    return { recovery_codes: codes };
  },
});

const removeTotp = controlEndpoint({
  method: "DELETE",
  path: "/v1/me/totp",
  permission: "person.change",
  audit: { action: "second_factor.remove" },
  status: 204,
  tag: TAG,
  summary: "Remove the second factor",
  description: PROOF_DESCRIPTION,
  faults: ["conflict", "recent_login_needed"],
  body: proofSchema,
  bodyOptional: true,
  response: z.null(),
  async handle(operationContext) {
    const { profile, secondFactor } = operationContext.services.identity;
    const person = await profile.reauthenticate(reauthenticationOf(operationContext));
    await secondFactor.remove(person.id);
    profile.notify(person.email, "The second factor was removed from your account");
    return null;
  },
});

const renewRecoveryCodes = controlEndpoint({
  method: "POST",
  path: "/v1/me/totp/recovery-codes",
  permission: "person.change",
  audit: { action: "second_factor.recovery_codes" },
  status: 200,
  tag: TAG,
  summary: "Make new recovery codes: the old ones end",
  description: PROOF_DESCRIPTION,
  faults: ["conflict", "recent_login_needed"],
  body: proofSchema,
  bodyOptional: true,
  response: recoveryCodesSchema,
  async handle(operationContext) {
    const { profile, secondFactor } = operationContext.services.identity;
    const person = await profile.reauthenticate(reauthenticationOf(operationContext));
    return { recovery_codes: await secondFactor.renewRecoveryCodes(person.id) };
  },
});

export const signInMethodEndpoints: readonly Endpoint[] = [
  createPasskeyOptions,
  addPasskey,
  listPasskeys,
  renamePasskey,
  removePasskey,
  beginTotp,
  confirmTotp,
  removeTotp,
  renewRecoveryCodes,
];
