import type { Person } from "@trunkline/core/caller.ts";
import type { OwnDesk } from "../../../identity/people/profile.ts";
import type { Visit } from "../endpoint.ts";

/** Who is at the dashboard. Powers that no key has guarantee that somebody is. */
export function personOf({ caller }: Pick<Visit<unknown, unknown>, "caller">): Person {
  if (caller.person === undefined) throw new Error("A key got where only people may.");
  return caller.person;
}

/** What somebody shows for a change that matters. */
export function visitorOf(
  visit: Visit<{ readonly current?: string | undefined }, unknown>,
): Parameters<OwnDesk["prove"]>[0] {
  const { id, sessionId } = personOf(visit);
  return { personId: id, sessionId, address: visit.request.ip, current: visit.body.current };
}
