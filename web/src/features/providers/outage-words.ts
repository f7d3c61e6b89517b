import type { OwnModel } from "./provider-queries.ts";

export type Outage = NonNullable<OwnModel["health"]["outage"]>;

/** What to do about an endpoint that its provider refuses to serve. */
export function outageAdvice({ why }: Pick<Outage, "why">): string {
  return why === "credential"
    ? "Put a credential that the endpoint takes into the model, with Edit. Then check it: once it passes, it is routed again at once."
    : "Top up the account that the endpoint charges, or raise its quota. Then check the model: once it passes, it is routed again at once.";
}
