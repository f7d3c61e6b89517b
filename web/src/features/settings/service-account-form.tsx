import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { Checkbox } from "../../ui/checkbox.tsx";
import { FormGroup, TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { type ServiceAccount, serviceAccountsQuery } from "./service-account-queries.ts";

const TEXTS = texts.sso.accounts;

type Scope = ServiceAccount["scopes"][number];

export interface ServiceAccountFormProps {
  readonly onClose: () => void;
  readonly onMade: (account: ServiceAccount) => void;
}

/** The form by which a service account is made. Limits are set through the API. */
export function ServiceAccountForm({ onClose, onMade }: ServiceAccountFormProps) {
  const queries = useQueryClient();
  const { data: known } = useQuery({
    queryKey: ["keys", "scopes"],
    queryFn: ({ signal }) => api.call("GET /v1/keys/scopes", { signal }),
  });
  const form = useApiForm({
    values: { name: "", scopes: ["inference", "read"] as readonly Scope[] },
    send: ({ name, scopes }) => api.call("POST /v1/service-accounts", { body: { name: name.trim(), scopes } }),
    onSent: async (account) => {
      await queries.invalidateQueries({ queryKey: serviceAccountsQuery.queryKey });
      onMade(account);
    },
  });
  return (
    <FormDialog form={form} title={TEXTS.create} submitLabel={TEXTS.create} onClose={onClose}>
      <TextField form={form} name="name" label={TEXTS.name} required maxLength={128} autoFocus />
      <FormGroup
        form={form}
        name="scopes"
        label={TEXTS.scopes}
        check={(scopes) => (scopes.length === 0 ? texts.common.fieldRequired : undefined)}
      >
        {({ value: scopes, onChange }) =>
          known?.data
            .filter(({ can_give }) => can_give)
            .map(({ scope }) => (
              <Checkbox
                key={scope}
                label={texts.keys.scopes[scope].label}
                description={texts.keys.scopes[scope].description}
                checked={scopes.includes(scope)}
                onCheckedChange={(isOn) =>
                  onChange(isOn ? [...scopes, scope] : scopes.filter((other) => other !== scope))
                }
              />
            ))
        }
      </FormGroup>
    </FormDialog>
  );
}
