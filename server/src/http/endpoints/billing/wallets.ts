import { Fault } from "@trunkline/core/fault.ts";
import { z } from "zod";
import type { Services } from "../../../app/services.ts";
import { requirePermission } from "../../../identity/auth/authenticate.ts";
import type { LinkedWallet, WalletChallenge } from "../../../identity/people/wallets.ts";
import { currentPasswordSchema, displayNameSchema } from "../../responses/person.ts";
import { controlEndpoint, type Endpoint, publicEndpoint } from "../endpoint.ts";
import type { HttpRequest } from "../http-request.ts";
import {
  authAttemptOf,
  logInReply,
  logInResponseSchema,
  reauthenticationOf,
  serviceOrigin,
} from "../identity/browser-session.ts";
import { tokenServices } from "./token.ts";

const addressSchema = z.string().regex(/^0x[0-9a-fA-F]{40}$/, "must be an address: 0x and 40 hexadecimal digits");
const signedMessageFields = {
  message: z.string().min(1).max(4_096).describe("The message that was signed, as Sign-In with Ethereum has it."),
  signature: z
    .string()
    .max(8_194)
    .regex(/^0x(?:[0-9a-fA-F]{2})+$/, "must be 0x and hexadecimal digits"),
};

const challengeSchema = z.object({
  message: z.string().describe("For the wallet to sign, once, within 5 minutes."),
  nonce: z.string().describe("The nonce in it."),
  chain_id: z.number(),
  expires_at: z.string(),
});

function toChallengeResponse({ message, nonce, expiresAt }: WalletChallenge, chainId: number) {
  return { message, nonce, chain_id: chainId, expires_at: expiresAt.toISOString() };
}

const walletSchema = z.object({
  address: z.string(),
  name: z.string(),
  log_in: z.boolean().describe("Whether a person may log in by it."),
  created_at: z.string(),
});

function toWalletResponse({ address, name, personId, createdAt }: LinkedWallet): z.infer<typeof walletSchema> {
  return { address, name, log_in: personId !== undefined, created_at: createdAt.toISOString() };
}

/**
 * The site that a wallet's message names. Browsers compare a passkey's site with the page; a wallet's message is compared by
 * the service alone. So it must not be what a request says: another site could pass requests on under its own name.
 */
function walletSite(services: Services, request: HttpRequest): string {
  const { publicUrl } = services.config;
  const origin = serviceOrigin(services, request);
  if (publicUrl !== undefined || (URL.canParse(origin) && LOOPBACK_HOSTS.has(new URL(origin).hostname))) return origin;
  throw new Fault(
    "conflict",
    "Wallets sign for the service's own address, and this service does not know it: its operator sets TRUNKLINE_PUBLIC_URL.",
  );
}

const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

const createChallenge = controlEndpoint({
  method: "POST",
  path: "/v1/billing/wallets/challenge",
  permission: "billing.change",
  audit: null,
  status: 200,
  tag: "Billing",
  summary: "The message that a wallet signs to be linked",
  faults: ["not_found", "conflict"],
  body: z.object({ address: addressSchema }),
  response: challengeSchema,
  async handle({ services, caller, body, request }) {
    const { wallets } = tokenServices(services);
    const origin = walletSite(services, request);
    return toChallengeResponse(await wallets.beginLink(origin, body.address, caller.accountId), wallets.chainId);
  },
});

const linkWallet = controlEndpoint({
  method: "POST",
  path: "/v1/billing/wallets",
  permission: "billing.change",
  audit: {
    action: "wallet.link",
    details: ({ body }, result) => ({ address: result.address, log_in: body.log_in }),
  },
  status: 201,
  tag: "Billing",
  summary: "Link a wallet to the account",
  description:
    "Tokens that it sends to the treasury are credited to this account, also those that came before. A wallet belongs to one account. With `log_in` you may log in by it; that takes a log-in less than 15 minutes old, or the current password.",
  faults: ["not_found", "conflict", "recent_login_needed"],
  body: z.object({
    ...signedMessageFields,
    name: displayNameSchema.optional(),
    log_in: z.boolean().default(false).describe("Whether you, who are logged in, may log in by it."),
    current: currentPasswordSchema,
  }),
  response: walletSchema,
  async handle(operationContext) {
    const { services, caller, body, request } = operationContext;
    const token = tokenServices(services);
    const { profile } = services.identity;
    if (body.log_in && caller.person === undefined) {
      throw new Fault("invalid_request", "Nobody is logged in who could log in by this wallet: leave out `log_in`.", {
        param: "log_in",
      });
    }
    if (body.log_in) requirePermission(caller, "person.change", { address: request.ip });
    const person = body.log_in ? await profile.reauthenticate(reauthenticationOf(operationContext)) : undefined;
    const wallet = await token.wallets.finishLink(walletSite(services, request), body, {
      accountId: caller.accountId,
      personId: person?.id,
      name: body.name ?? "Wallet",
    });
    if (person !== undefined) profile.notify(person.email, "You can log in by a wallet now");
    // What it sent before is credited now; if this fails, the watcher does it.
    const credited = await token.deposits.creditClaimable().catch((error: unknown) => {
      services.warnThrottled(error, "Deposits of a linked wallet could not be credited.");
      return [];
    });
    for (const { accountId } of credited) token.onCredit(accountId);
    return toWalletResponse(wallet);
  },
});

const listWallets = controlEndpoint({
  method: "GET",
  path: "/v1/billing/wallets",
  permission: "billing.read",
  status: 200,
  tag: "Billing",
  summary: "Linked wallets",
  faults: ["not_found"],
  response: z.object({ data: z.array(walletSchema), next_cursor: z.null() }),
  async handle({ services, caller }) {
    const wallets = await tokenServices(services).wallets.list(caller.accountId);
    return { data: wallets.map(toWalletResponse), next_cursor: null };
  },
});

const unlinkWallet = controlEndpoint({
  method: "DELETE",
  path: "/v1/billing/wallets/:address",
  permission: "billing.change",
  audit: { action: "wallet.unlink", details: ({ params }) => ({ address: params.address ?? "" }) },
  status: 204,
  tag: "Billing",
  summary: "Unlink a wallet",
  description: "What was credited stays. What it sends from now on waits until it is linked again.",
  faults: ["not_found"],
  response: z.null(),
  async handle({ services, caller, params }) {
    await tokenServices(services).wallets.unlink(caller.accountId, params.address ?? "");
    return null;
  },
});

const createLogInChallenge = publicEndpoint({
  method: "POST",
  path: "/v1/auth/wallet-options",
  status: 200,
  tag: "Sessions",
  summary: "The message that a wallet signs to log in",
  faults: ["not_found", "conflict", "cross_site"],
  body: z.object({ address: addressSchema }),
  response: challengeSchema,
  async handle({ services, body, request }) {
    const { wallets } = tokenServices(services);
    const origin = walletSite(services, request);
    const attempt = authAttemptOf({ services, request });
    const challenge = await services.identity.logIn.beginWallet(wallets, origin, body.address, attempt);
    return toChallengeResponse(challenge, wallets.chainId);
  },
});

const logInByWallet = publicEndpoint({
  method: "POST",
  path: "/v1/auth/wallet",
  status: 200,
  tag: "Sessions",
  summary: "Log in by a linked wallet",
  description: "The second factor is still asked for.",
  faults: ["not_found", "conflict", "invalid_login", "insufficient_role", "cross_site"],
  body: z.object(signedMessageFields),
  response: logInResponseSchema,
  async handle({ services, body, request }) {
    const { wallets } = tokenServices(services);
    const exchange = { services, request };
    const origin = walletSite(services, request);
    return logInReply(exchange, await services.identity.logIn.byWallet(wallets, origin, body, authAttemptOf(exchange)));
  },
});

export const walletEndpoints: readonly Endpoint[] = [createChallenge, linkWallet, listWallets, unlinkWallet];
export const walletLogInEndpoints: readonly Endpoint[] = [createLogInChallenge, logInByWallet];
