import { ROLES, type Role } from "@trunkline/core/role.ts";

/** A row's role. The table holds no other: anything else means that it was changed by hand. */
export function parseRole({ role }: { readonly role: string }): Role {
  const known = ROLES.find((one) => one === role);
  if (known === undefined) throw new Error(`The store holds the role "${role}", which there is not.`);
  return known;
}
