import { ROLES, type Role, SCOPES } from "@trunkline/core/caller.ts";
import type { FaultType } from "@trunkline/core/fault.ts";
import { newId } from "@trunkline/core/id.ts";
import { isReadOnly, PERMISSIONS, type Permission } from "@trunkline/core/permissions.ts";
import { newToken } from "@trunkline/core/secret.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ALL_ENDPOINTS } from "../../src/http/server/endpoint-registry.ts";
import { openCustomer } from "../support/customer.ts";
import { openMember } from "../support/member.ts";
import { type Answer, type CallOptions, type StartedService, startService } from "../support/started-service.ts";

/** The operations that need no caller. Another one is open by decision, not by mistake: it is added here. */
const OPEN = [
  "GET /v1/auth/features",
  "GET /v1/proof",
  "GET /v1/public/models",
  "GET /v1/public/status",
  "POST /v1/auth/accept-invitation",
  "POST /v1/auth/first-login",
  "POST /v1/auth/forgot",
  "POST /v1/auth/invitation",
  "POST /v1/auth/log-in",
  "POST /v1/auth/passkey",
  "POST /v1/auth/passkey-options",
  "POST /v1/auth/password-strength",
  "POST /v1/auth/reset",
  "POST /v1/auth/resume-sign-up",
  "POST /v1/auth/second-factor",
  "POST /v1/auth/sign-up",
  "POST /v1/auth/sso",
  "POST /v1/auth/sso/address",
  "POST /v1/auth/sso/callback",
  "POST /v1/auth/sso/confirm",
  "POST /v1/auth/token",
  "POST /v1/auth/verify",
  "POST /v1/auth/wallet",
  "POST /v1/auth/wallet-options",
  "POST /v1/stripe/webhook",
];

/** Every other operation, with a request that harms nothing: it names what there is not, and says nothing. */
const OPERATIONS = ALL_ENDPOINTS.flatMap((endpoint) =>
  endpoint.kind === "open"
    ? []
    : [
        {
          name: `${endpoint.method} ${endpoint.path}`,
          method: endpoint.method,
          template: endpoint.path,
          path: endpoint.path.replace(/(?<=\/):\w+|\*/g, newId()),
          body: endpoint.method === "GET" || endpoint.body === undefined ? undefined : {},
          permission: endpoint.permission,
        },
      ],
);
type Operation = (typeof OPERATIONS)[number];

let service: StartedService;
let operatorsId: string;
beforeAll(async () => {
  service = await startService((config) => ({
    ...config,
    limits: { ...config.limits, requestsPerMinute: 100_000, burst: 100_000 },
  }));
  operatorsId = (await service.call("GET", "/v1/organisation")).json.id;
});
afterAll(() => service.stop());

/** Undefined: the operation is not refused for who asks. */
type Refusal = FaultType | undefined;

const grantOf = (permission: Permission): { readonly scope: string | undefined; readonly roles: readonly Role[] } =>
  PERMISSIONS[permission];

/** What the table says of a key with these scopes, and of a member. */
const ofKey =
  (...scopes: string[]) =>
  ({ permission }: Operation): Refusal =>
    scopes.includes(grantOf(permission).scope ?? "") ? undefined : "insufficient_scope";
const ofMember =
  (role: Role, isOperator: boolean) =>
  ({ permission }: Operation): Refusal => {
    const { scope, roles } = grantOf(permission);
    return roles.includes(role) && (scope !== "admin" || isOperator) ? undefined : "insufficient_role";
  };
const suspended =
  (refusal: (operation: Operation) => Refusal) =>
  (operation: Operation): Refusal =>
    refusal(operation) ?? (isReadOnly(operation.permission) ? undefined : "account_suspended");

interface Kind {
  readonly refusal: (operation: Operation) => Refusal;
  /** Opens such a caller. */
  readonly open: () => Promise<CallOptions>;
}

const CUSTOMER_SCOPES = SCOPES.filter((scope) => scope !== "admin");
const withKey = (key: string | null): CallOptions => ({ key });

async function keyOf(accountId: string, scopes: readonly string[], more: object = {}): Promise<CallOptions> {
  const made = await service.call("POST", `/v1/admin/accounts/${accountId}/keys`, { name: "A key", scopes, ...more });
  expect(made.status, made.text).toBe(201);
  return withKey(made.json.key);
}

async function changedKey(change: string): Promise<CallOptions> {
  const { key, keyId } = await openCustomer(service, 0, { scopes: CUSTOMER_SCOPES });
  await service.database.query(`UPDATE api_keys SET ${change} WHERE id = $1`, [keyId]);
  return withKey(key);
}

async function sessionOf(role: Role, accountId?: string, origin = service.url) {
  const { cookie, accountId: account } = await openMember(service, role, accountId);
  return { accountId: account, key: null, headers: { cookie, origin } };
}

async function suspend(accountId: string): Promise<void> {
  const answer = await service.call("PATCH", `/v1/admin/accounts/${accountId}`, { suspended: true });
  expect(answer.status, answer.text).toBe(200);
}

/** Every kind of caller, and what the table of permissions lets it do. */
const KINDS: Readonly<Record<string, Kind>> = {
  "no key": { refusal: () => "missing_api_key", open: async () => withKey(null) },
  "an unknown key": { refusal: () => "invalid_api_key", open: async () => withKey("tl_nothing") },
  "a key of another service": { refusal: () => "invalid_api_key", open: async () => withKey("sk-of-another-service") },
  "a revoked key": { refusal: () => "invalid_api_key", open: () => changedKey("revoked_at = now()") },
  "an expired key": { refusal: () => "invalid_api_key", open: () => changedKey("expires_at = now() - interval '1 s'") },
  "a key that is used from another address": {
    refusal: () => "insufficient_scope",
    open: async () => keyOf((await openMember(service)).accountId, CUSTOMER_SCOPES, { ips: ["203.0.113.0/24"] }),
  },
  "the operator's key": { refusal: ofKey(...SCOPES), open: async () => keyOf(operatorsId, SCOPES) },
  "a suspended account's key": {
    refusal: suspended(ofKey(...CUSTOMER_SCOPES)),
    async open() {
      const { id, key } = await openCustomer(service, 1, { scopes: CUSTOMER_SCOPES });
      await suspend(id);
      return withKey(key);
    },
  },
  "a suspended account's owner": {
    refusal: suspended(ofMember("owner", false)),
    async open() {
      const session = await sessionOf("owner");
      await suspend(session.accountId);
      return session;
    },
  },
  "a session that is over": {
    refusal: () => "invalid_session",
    open: async () => ({ key: null, headers: { cookie: `trunkline_session=${newToken()}`, origin: service.url } }),
  },
  "a page of another site, with an owner's session": {
    refusal: (operation) => (operation.method === "GET" ? ofMember("owner", false)(operation) : "cross_site"),
    open: () => sessionOf("owner", undefined, "https://elsewhere.example"),
  },
  ...Object.fromEntries(
    SCOPES.map((scope) => [
      `a key with the scope ${scope} alone`,
      {
        refusal: ofKey(scope),
        open: async () => keyOf(scope === "admin" ? operatorsId : (await openMember(service)).accountId, [scope]),
      },
    ]),
  ),
  ...Object.fromEntries(
    ROLES.flatMap((role) => [
      [`a member who is ${role}`, { refusal: ofMember(role, false), open: () => sessionOf(role) }],
      [
        `a member of the operator's organisation who is ${role}`,
        { refusal: ofMember(role, true), open: () => sessionOf(role, operatorsId) },
      ],
    ]),
  ),
};

/** Faults for who asks, whatever is asked. Each wire format has another place for them. */
const OF_CALLERS =
  /"(missing_api_key|invalid_api_key|invalid_session|insufficient_scope|insufficient_role|account_suspended|cross_site)"/;
const STATUS_OF_UNKNOWN = 401;

function mistakeOf({ status, text }: Answer, refusal: Refusal): string | undefined {
  const found = OF_CALLERS.exec(text)?.[1];
  const isUnknown = refusal === "missing_api_key" || refusal === "invalid_api_key" || refusal === "invalid_session";
  const isRight =
    refusal === undefined
      ? found === undefined && status !== STATUS_OF_UNKNOWN && status < 500
      : found === refusal && status === (isUnknown ? STATUS_OF_UNKNOWN : 403);
  return isRight ? undefined : `${status} ${text.slice(0, 200)}, not ${refusal ?? "let in"}`;
}

describe("every operation", () => {
  it("names a permission of the table, or is open by decision", () => {
    for (const { name, permission } of OPERATIONS) expect(PERMISSIONS[permission], name).toBeDefined();
    const open = ALL_ENDPOINTS.filter(({ kind }) => kind === "open").map(({ method, path }) => `${method} ${path}`);
    expect(open.toSorted()).toEqual(OPEN);
  });

  it.each(Object.entries(KINDS))("lets in or refuses %s, as the table says", async (_, { refusal, open }) => {
    let caller = await open();
    const mistakes: string[] = [];
    const left = OPERATIONS.values();
    const tryRest = async () => {
      for (const operation of left) {
        const mistakeBy = async (options: CallOptions) => {
          const answer = await service.call(operation.method, operation.path, operation.body, options);
          return mistakeOf(answer, refusal(operation));
        };
        if ((await mistakeBy(caller)) === undefined) continue;
        // Another operation may have ended the caller's session or its organisation: a new caller tries this one again.
        const successor = await open();
        const mistake = await mistakeBy(successor);
        caller = successor;
        if (mistake !== undefined) mistakes.push(`${operation.name}: ${mistake}`);
      }
    };
    await Promise.all([tryRest(), tryRest(), tryRest(), tryRest()]);
    expect(mistakes).toEqual([]);
  });
});
