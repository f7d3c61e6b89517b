import type { Person } from "@trunkline/core/caller.ts";
import type { Profile } from "../../../identity/people/profile.ts";
import type { OperationContext } from "../endpoint.ts";

/** Who is at the dashboard. Powers that no key has guarantee that somebody is. */
export function signedInPerson({ caller }: Pick<OperationContext<unknown, unknown>, "caller">): Person {
  if (caller.person === undefined) throw new Error("A key got where only people may.");
  return caller.person;
}

/** What somebody shows for a change that matters. */
export function reauthenticationOf(
  operationContext: OperationContext<{ readonly current?: string | undefined }, unknown>,
): Parameters<Profile["reauthenticate"]>[0] {
  const { id, sessionId } = signedInPerson(operationContext);
  return {
    personId: id,
    sessionId,
    address: operationContext.request.ip,
    current: operationContext.body.current,
  };
}
