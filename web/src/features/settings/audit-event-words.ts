const VERBS: Readonly<Record<string, string>> = {
  accept: "accepted",
  add: "added",
  alerts: "alerts changed",
  approve: "approved",
  begin: "set-up begun",
  cancel: "cancelled",
  change: "changed",
  check: "checked",
  close: "closed",
  confirm: "confirmed",
  create: "created",
  delete: "deleted",
  details: "details changed",
  drop: "dropped",
  end: "ended",
  end_all: "ended everywhere",
  grant: "credited",
  open: "opened",
  recovery_codes: "recovery codes made",
  redeem: "redeemed",
  register: "registered",
  remove: "removed",
  rename: "renamed",
  report: "reported",
  resend: "sent again",
  reset: "reset",
  revoke: "revoked",
  rotate: "rotated",
  stop: "stopped",
  suspend: "suspended",
  test: "tested",
  weigh: "weighed",
  withdraw: "withdrawn",
};

/** An action of the audit log as people say it: `key.create` is "Key created". What is not known stays as it is. */
export function wordsOf(action: string): string {
  const [noun = "", verb = ""] = action.split(".");
  const known = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  if (known === undefined || noun === "") return action;
  const thing = noun.replaceAll("_", " ");
  return `${thing.charAt(0).toUpperCase()}${thing.slice(1)} ${known}`;
}

/** What entries can be narrowed to: the beginning of their actions. */
export const ACTION_GROUPS = [
  { value: "key.", label: "Keys" },
  { value: "member.", label: "Members" },
  { value: "invitation.", label: "Invitations" },
  { value: "organisation.", label: "Organisation" },
  { value: "settings.", label: "Settings" },
  { value: "routing.", label: "Routing" },
  { value: "cache.", label: "Response cache" },
  { value: "batch.", label: "Batches" },
  { value: "provider_key.", label: "Provider keys" },
  { value: "webhook.", label: "Webhooks" },
  { value: "model.", label: "Models" },
  { value: "account.", label: "Accounts and credits" },
  { value: "billing.", label: "Billing" },
  { value: "session.", label: "Sessions" },
  { value: "password.", label: "Passwords" },
  { value: "passkey.", label: "Passkeys" },
  { value: "second_factor.", label: "Second factors" },
] as const;

/** A detail as text: lists by commas, anything deeper as it came. */
export function detailText(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (value === null || value === undefined) return "none";
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value.join(", ");
  return JSON.stringify(value);
}
