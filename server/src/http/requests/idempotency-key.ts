import { Fault } from "@trunkline/core/fault.ts";

/** Refuses an idempotency key that is too long or not printable. */
export function checkIdempotencyKey(key: string | undefined): void {
  if (key === undefined || /^[\x20-\x7e]{1,255}$/.test(key)) return;
  throw new Fault("invalid_request", "`Idempotency-Key` must be 1 to 255 printable ASCII characters.", {
    param: "Idempotency-Key",
  });
}
