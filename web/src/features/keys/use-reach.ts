import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { usePermission } from "../../api/session.ts";
import type { Key } from "./key-draft.ts";
import { scopesQuery } from "./keys-queries.ts";

/** What the person may do with a key: nothing, only stop it, as it may do more than they may, or everything. */
export type Reach = "none" | "stop" | "all";

/** How far the person reaches with each key. A revoked one is out of everybody's reach. */
export function useReach(): (shown: Key) => Reach {
  const mayChange = usePermission("keys.change");
  const { data } = useQuery(scopesQuery);
  return useCallback(
    ({ scopes, state }) => {
      if (!mayChange || state === "revoked") return "none";
      const isBeyond = data?.data.some(({ scope, can_give: can }) => !can && scopes.includes(scope));
      return isBeyond === true ? "stop" : "all";
    },
    [mayChange, data],
  );
}
