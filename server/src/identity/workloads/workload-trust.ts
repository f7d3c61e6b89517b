import type { JWTPayload } from "jose";

/** A claim that must have one of these values. A `*` in a value stands for any characters. */
export interface ClaimCondition {
  readonly claim: string;
  readonly values: readonly string[];
}

/** Which tokens of an issuer a service account gives secrets for. */
export interface WorkloadTrustDraft {
  readonly name: string;
  readonly issuer: string;
  readonly audience: string;
  readonly conditions: readonly ClaimCondition[];
  readonly lifetimeSeconds: number;
}

export interface WorkloadTrust extends WorkloadTrustDraft {
  readonly id: string;
  readonly accountId: string;
  /** The id of the service account. */
  readonly serviceAccountId: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | undefined;
}

export interface WorkloadTrustStore {
  list(accountId: string, serviceAccountId: string): Promise<WorkloadTrust[]>;
  create(accountId: string, serviceAccountId: string, id: string, draft: WorkloadTrustDraft): Promise<void>;
  remove(accountId: string, serviceAccountId: string, id: string): Promise<boolean>;
  removeAll(accountId: string, serviceAccountId: string): Promise<void>;
  /** The trusts of an active service account in an issuer, whatever the organisation. */
  findFor(serviceAccountId: string, issuer: string): Promise<WorkloadTrust[]>;
  /** Adds a secret to the service account; false where it has ended meanwhile. */
  addSecret(
    trust: WorkloadTrust,
    secret: { readonly hash: string; readonly hint: string },
    expiresAt: Date,
  ): Promise<boolean>;
}

/** A value without a wildcard. */
const WHOLE = /^[^*]+$/;
/** The name of an owner, whole, and the path below it. */
const BELOW_OWNER = /^[^/*]+\//;

/**
 * Issuers that everyone can get tokens from. By each one, the claims of which one has to be given, and what its values must have:
 * whose tokens they are, before any wildcard. Otherwise the tokens of strangers would fit.
 */
const SHARED_ISSUERS: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  "token.actions.githubusercontent.com": {
    // Repositories choose which claims the subject is made of: one that names no owner may be a stranger's.
    sub: /^(repo|repository|job_workflow_ref):[^/:*]+\/|^repository_owner:[^/:*]+(:|$)|^repository(_owner)?_id:\d+(:|$)/,
    repository: BELOW_OWNER,
    repository_id: WHOLE,
    repository_owner: WHOLE,
    repository_owner_id: WHOLE,
    job_workflow_ref: BELOW_OWNER,
  },
  "gitlab.com": {
    sub: /^project_path:[^/:*]+\//,
    project_path: BELOW_OWNER,
    project_id: WHOLE,
    namespace_path: /^[^/*]+(\/|$)/,
    namespace_id: WHOLE,
  },
  "agent.buildkite.com": {
    sub: /^organization:[^:*]+:/,
    organization_slug: WHOLE,
    organization_id: WHOLE,
    pipeline_id: WHOLE,
  },
  "oidc.circleci.com": { sub: /^org\/[^/*]+\//, "oidc.circleci.com/project-id": WHOLE },
  "accounts.google.com": { sub: WHOLE, email: WHOLE },
};

/** Why the conditions let too many in; undefined: they do not. */
export function tooOpen({ issuer, conditions }: Pick<WorkloadTrustDraft, "issuer" | "conditions">): string | undefined {
  if (conditions.some(({ values }) => values.some((value) => /^\**$/.test(value))))
    return "A condition must not fit every value.";
  const claims = SHARED_ISSUERS[new URL(issuer).hostname];
  if (claims === undefined) return undefined;
  const isBound = conditions.some(({ claim, values }) => {
    const form = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
    return form !== undefined && values.every((value) => form.test(value));
  });
  return isBound
    ? undefined
    : `Everyone can get tokens from this issuer. One condition must be for ${Object.keys(claims).join(", ")}, with values that name whose they are in full before any wildcard, such as acme/* and not acme*.`;
}

/** The first condition that a token does not meet; undefined: it meets all. */
export function unmetCondition(conditions: readonly ClaimCondition[], claims: JWTPayload): string | undefined {
  return conditions.find(({ claim, values }) => {
    const held = valuesOf(claims, claim);
    return !values.some((pattern) => held.some((value) => matches(pattern, value)));
  })?.claim;
}

/** A claim by its name, or by a path with dots where no claim has that name. Lists count by each of their items. */
function valuesOf(claims: JWTPayload, name: string): string[] {
  const value = Object.hasOwn(claims, name)
    ? claims[name]
    : name.split(".").reduce<unknown>((at, part) => (isOwn(at, part) ? at[part] : undefined), claims);
  const items: unknown[] = Array.isArray(value) ? value : [value];
  return items.flatMap((item) =>
    typeof item === "string" || typeof item === "number" || typeof item === "boolean" ? [String(item)] : [],
  );
}

function isOwn(value: unknown, part: string): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && Object.hasOwn(value, part);
}

/** Each piece between wildcards is looked for after the one before, so the work is linear. */
function matches(pattern: string, value: string): boolean {
  const pieces = pattern.split("*");
  const [first = "", last = ""] = [pieces[0], pieces.at(-1)];
  if (pieces.length === 1) return pattern === value;
  if (value.length < first.length + last.length || !value.startsWith(first) || !value.endsWith(last)) return false;
  let at = first.length;
  const end = value.length - last.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = value.indexOf(piece, at);
    if (found === -1 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}
