import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { texts } from "../../texts/texts.ts";
import { Checkbox } from "../../ui/checkbox.tsx";
import type { Scope } from "./key-draft.ts";
import { scopesQuery } from "./keys-queries.ts";

const TEXTS = texts.keys;

/** Every permission, in the order in which they are offered. */
const SCOPES = [
  "inference",
  "read",
  "manage",
  "billing",
  "provider",
  "directory",
  "admin",
] as const satisfies readonly Scope[];

/** Offered only to those who can give them. */
const RARE: ReadonlySet<Scope> = new Set(["directory", "admin"]);

export interface ScopeChoiceProps {
  readonly value: readonly Scope[];
  readonly error: string | undefined;
  readonly onValueChange: (scopes: readonly Scope[]) => void;
}

/** What a key may do. What the person can't give is shown with the reason; the operator's own scope only to the operator. */
export function ScopeChoice({ value, error, onValueChange }: ScopeChoiceProps) {
  const id = useId();
  const { data } = useQuery(scopesQuery);
  const canGive = (scope: Scope) => data?.data.find((entry) => entry.scope === scope)?.can_give ?? true;
  const shown = SCOPES.filter(
    (scope) => !RARE.has(scope) || value.includes(scope) || (data !== undefined && canGive(scope)),
  );
  return (
    <fieldset
      className="grid min-w-0 gap-3 border-t border-line pt-5"
      {...(error === undefined ? {} : { "aria-describedby": id, "aria-invalid": true })}
    >
      <legend className="float-left mb-1 w-full font-semibold">{TEXTS.form.permissions}</legend>
      {shown.map((scope) => (
        <Checkbox
          key={scope}
          label={<span className="font-medium">{TEXTS.scopes[scope].label}</span>}
          description={
            canGive(scope) ? TEXTS.scopes[scope].description : TEXTS.cantGrant(TEXTS.scopes[scope].description)
          }
          checked={value.includes(scope)}
          disabled={!canGive(scope)}
          onCheckedChange={(isOn) =>
            onValueChange(SCOPES.filter((other) => (other === scope ? isOn : value.includes(other))))
          }
        />
      ))}
      <p id={id} aria-live="polite" className="text-sm text-danger empty:hidden">
        {error}
      </p>
    </fieldset>
  );
}
