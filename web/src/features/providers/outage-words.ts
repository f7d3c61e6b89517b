import { texts } from "../../texts/texts.ts";
import type { OwnModel } from "./provider-queries.ts";

const TEXTS = texts.providers.outageWords;

export type Outage = NonNullable<OwnModel["health"]["outage"]>;

/** What to do about an endpoint that its provider refuses to serve. */
export function outageAdvice({ why }: Pick<Outage, "why">): string {
  return why === "credential" ? TEXTS.putACredentialThat : TEXTS.topUpTheAccount;
}
