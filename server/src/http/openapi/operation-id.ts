import { z } from "zod";
import type { Endpoint } from "../endpoints/endpoint.ts";

/** What the rule below would name badly: actions that are no resource. */
const NAMED: Readonly<Record<string, string>> = {
  "POST /v1/ai/request": "sendRequest",
  "POST /v1/generate": "generate",
  "POST /v1/stream": "stream",
  "POST /v1/embeddings": "createEmbeddings",
  "POST /openai/v1/embeddings": "createOpenAIEmbeddings",
  "POST /openai/v1/images/generations": "createOpenAIImage",
  "GET /openai/v1/realtime": "createRealtimeSession",
  "POST /openai/v1/conversations/{id}": "updateConversation",
  "POST /anthropic/v1/messages/count_tokens": "countMessageTokens",
  "POST /mcp": "callMcp",
  "DELETE /v1/cache": "clearCache",
  "POST /v1/redeem": "redeemCode",
  "POST /v1/billing/wallets": "linkWallet",
  "POST /v1/billing/wallets/challenge": "createWalletMessage",
  "DELETE /v1/billing/wallets/{address}": "unlinkWallet",
  "POST /v1/admin/token/deposits/{id}/credit": "creditTokenDeposit",
  "POST /v1/admin/token/rescan": "rescanToken",
  "POST /v1/admin/codes": "createAdminCodes",
  "GET /v1/admin/accounts/{id}/cluster": "getAccountCluster",
  "PUT /v1/admin/accounts/{id}/cluster": "moveAccount",
  "PUT /v1/billing/budget": "setBudget",
  "DELETE /v1/billing/budget": "deleteBudget",
  "POST /v1/admin/credit-requests/{id}/grant": "grantCreditRequest",
  "POST /v1/admin/credit-requests/{id}/decline": "declineCreditRequest",
  "GET /v1/statements/{month}/pdf": "getStatementPdf",
  "GET /v1/public/models": "listPublicModels",
  "GET /v1/public/status": "getPublicStatus",
  "GET /v1/status": "getStatus",
  "POST /v1/provider/usage": "reportProviderUsage",
  "POST /v1/provider/models/discover": "listEndpointModels",
  "POST /v1/provider/models/import": "importProviderModels",
  "POST /v1/session/account": "switchAccount",
  "DELETE /v1/session": "logOut",
  "GET /v1/me": "getProfile",
  "PATCH /v1/me": "updateProfile",
  "POST /v1/me/password": "setPassword",
  "GET /v1/me/data": "exportOwnData",
  "POST /v1/me/erase": "eraseSelf",
  "POST /v1/admin/people/export": "exportPerson",
  "POST /v1/admin/people/erase": "erasePerson",
  "GET /v1/admin/configuration": "getConfiguration",
  "GET /v1/audit-log/export": "exportAuditLog",
  "GET /v1/audit-log/key": "getAuditLogKey",
  "GET /v1/admin/audit-log/export": "exportAdminAuditLog",
  "DELETE /v1/me/sessions": "logOutEverywhere",
  "POST /v1/me/passkeys/options": "createPasskeyOptions",
  "POST /v1/me/totp": "beginTotp",
  "POST /v1/me/totp/confirm": "confirmTotp",
  "POST /v1/me/totp/recovery-codes": "createRecoveryCodes",
  "POST /v1/auth/sign-up": "signUp",
  "POST /v1/auth/resume-sign-up": "getSignUpProgress",
  "POST /v1/auth/verify": "verifyEmail",
  "POST /v1/auth/first-login": "logInFirst",
  "POST /v1/auth/password-strength": "checkPasswordStrength",
  "POST /v1/auth/log-in": "logIn",
  "POST /v1/auth/second-factor": "confirmLogIn",
  "POST /v1/auth/passkey-options": "createLogInPasskeyOptions",
  "POST /v1/auth/passkey": "logInByPasskey",
  "POST /v1/auth/wallet-options": "createLogInWalletMessage",
  "POST /v1/auth/wallet": "logInByWallet",
  "POST /v1/auth/sso": "createSsoLogIn",
  "POST /v1/auth/sso/callback": "confirmSsoLogIn",
  "POST /v1/auth/sso/address": "getSsoAddress",
  "POST /v1/auth/sso/confirm": "confirmSsoAddress",
  "POST /v1/auth/token": "createAccessToken",
  "POST /v1/organisation/sso/enforcement": "setSsoEnforcement",
  "POST /v1/organisation/domains/{name}/verify": "verifyOrganisationDomain",
  "GET /scim/v2/ServiceProviderConfig": "getScimConfiguration",
  "GET /scim/v2/ResourceTypes": "listScimResourceTypes",
  "GET /scim/v2/Schemas": "listScimSchemas",
  "GET /scim/v2/Schemas/{id}": "getScimSchema",
  ...Object.fromEntries(
    ["User", "Group"].flatMap((resource) => [
      [`GET /scim/v2/${resource}s`, `listScim${resource}s`],
      [`POST /scim/v2/${resource}s`, `createScim${resource}`],
      [`GET /scim/v2/${resource}s/{id}`, `getScim${resource}`],
      [`PUT /scim/v2/${resource}s/{id}`, `setScim${resource}`],
      [`PATCH /scim/v2/${resource}s/{id}`, `updateScim${resource}`],
      [`DELETE /scim/v2/${resource}s/{id}`, `deleteScim${resource}`],
    ]),
  ),
  "POST /v1/auth/forgot": "requestPasswordReset",
  "POST /v1/auth/reset": "resetPassword",
  "POST /v1/auth/invitation": "getInvitation",
  "POST /v1/auth/accept-invitation": "acceptInvitation",
};

/** Resources that one vendor's format alone has: the name does without the vendor. */
const ONE_VENDORS = new Set(["audio", "chat", "completions", "conversations", "messages", "moderations", "responses"]);

/** Last words of a path that say what is done to what the path names before them. */
const ACTIONS = new Set(["approve", "cancel", "check", "preview", "resend", "rotate", "suspend", "test", "validate"]);

/** How a path's words are written where that is not by a capital alone. */
const WORDS: Readonly<Record<string, string>> = { openai: "OpenAI" };

/**
 * The name under which generators offer an operation, such as `createKey` or `listKeys`. A verb and the path's words: the
 * method decides on the verb, and only the last word of a list or of settings stays in the plural.
 */
export function operationIdOf(endpoint: Endpoint, path: string): string {
  const named = NAMED[`${endpoint.method} ${path}`];
  if (named !== undefined) return named;

  // Google's paths end in a verb and its object.
  const [place = "", action] = path.split(/:(?=\w+$)/);
  const segments = place.split("/").filter((segment) => segment !== "");
  const words = wordsOf(segments);
  const last = words.at(-1) ?? "";
  const parents = words.slice(0, -1);
  if (action !== undefined) {
    const [, verb = "", object = ""] = /^([a-z]+)(\w*)$/.exec(action.replace("streamGenerate", "stream")) ?? [];
    return verb + nameOf(parents) + object;
  }
  if (endpoint.method === "POST" && ACTIONS.has(last)) return last + nameOf(parents.map(singular));

  const isItem = segments.at(-1)?.startsWith("{") === true || endpoint.method === "POST";
  const isList = endpoint.method === "GET" && !isItem && last !== singular(last) && isListOf(endpoint.response);
  return verbOf(endpoint, isList) + nameOf([...parents.map(singular), isItem ? singular(last) : last]);
}

/** The words of a path, without versions, parameters and what goes without saying. */
function wordsOf(segments: readonly string[]): string[] {
  const words = segments.filter((segment) => !/^(?:\{.*|v1|v1beta|me)$/.test(segment));
  if (segments[0] === "gemini" && segments[1] === "v1") words.unshift("stable");
  return ["openai", "anthropic"].includes(words[0] ?? "") && ONE_VENDORS.has(words[1] ?? "") ? words.slice(1) : words;
}

function verbOf({ method }: Endpoint, isList: boolean): string {
  if (method === "GET") return isList ? "list" : "get";
  return { POST: "create", PUT: "set", PATCH: "update", DELETE: "delete" }[method];
}

/** A list comes bare, as `data`, or as Google's `models`. */
function isListOf(response: z.ZodType): boolean {
  if (response instanceof z.ZodArray) return true;
  return response instanceof z.ZodObject && (response.shape.data ?? response.shape.models) instanceof z.ZodArray;
}

function singular(word: string): string {
  if (/(?:ss|us|series)$/.test(word)) return word;
  return word
    .replace(/ies$/, "y")
    .replace(/(?<=ch|sh|x)es$/, "")
    .replace(/s$/, "");
}

function nameOf(words: readonly string[]): string {
  return words
    .flatMap((word) => word.split(/[-_]/))
    .map((word) => WORDS[word] ?? word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}
