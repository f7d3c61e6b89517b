import type { RedactableCategory } from "@trunkline/core/safety-policy.ts";

export const PRIVATE_VALUE_KINDS = [
  "api_key",
  "private_key",
  "jwt",
  "password",
  "card",
  "iban",
  "bank_account",
  "national_id",
  "passport",
  "driver_license",
  "email",
  "phone",
  "date_of_birth",
  "crypto_wallet",
  "ip_address",
  "mac_address",
] as const;
export type PrivateValueKind = (typeof PRIVATE_VALUE_KINDS)[number];

/** A secret or personal value that should not leave the service. Offsets into the original text, end exclusive. */
export interface PrivateValue {
  readonly category: RedactableCategory;
  readonly kind: PrivateValueKind;
  /** The confidence, from 0 to 1. */
  readonly weight: number;
  readonly start: number;
  readonly end: number;
}

/** Called by a finder with each value. */
export type ReportValue = (kind: PrivateValueKind, weight: number, start: number, end: number) => void;

const SECRET_KINDS: ReadonlySet<PrivateValueKind> = new Set(["api_key", "private_key", "jwt", "password"]);

export function categoryOf(kind: PrivateValueKind): RedactableCategory {
  return SECRET_KINDS.has(kind) ? "secret" : "pii";
}
