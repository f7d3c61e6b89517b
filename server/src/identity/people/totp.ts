import { Secret } from "@trunkline/core/secret.ts";
import { Secret as OtpSecret, TOTP } from "otpauth";

const STEP_SECONDS = 30;
/** Phones' clocks differ: the code before and the one after count too. */
const WINDOW_STEPS = 1;
const TOTP_OPTIONS = { algorithm: "SHA1", digits: 6, period: STEP_SECONDS } as const;

/** A new secret for an authenticator app, in base32. */
export function newTotpSecret(): Secret {
  return new Secret(new OtpSecret({ size: 20 }).base32);
}

/** What an authenticator app reads from the QR code. */
export function totpUriOf(secret: Secret, email: string): string {
  return totpOf(secret, email).toString();
}

/** The step that a code belongs to; undefined where it is wrong. A step must be used once only. */
export function stepOfCode(secret: Secret, code: string, nowMs: number): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined;
  const delta = totpOf(secret, "").validate({ token: code, timestamp: nowMs, window: WINDOW_STEPS });
  return delta === null ? undefined : Math.floor(nowMs / 1_000 / STEP_SECONDS) + delta;
}

function totpOf(secret: Secret, label: string): TOTP {
  return new TOTP({
    ...TOTP_OPTIONS,
    issuer: "Trunkline",
    label,
    secret: OtpSecret.fromBase32(secret.reveal()),
  });
}
