import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api } from "../../api/client.ts";
import { errorAt, errorBeside } from "../../api/sign-in.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
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
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<readonly Scope[]>(["inference", "read"]);
  const create = useMutation({
    mutationFn: () => api.call("POST /v1/service-accounts", { body: { name: name.trim(), scopes } }),
    onSuccess: async (account) => {
      await queries.invalidateQueries({ queryKey: serviceAccountsQuery.queryKey });
      onMade(account);
    },
  });
  const isReady = name.trim() !== "" && scopes.length > 0;
  const fault = errorBeside(create.error, ["name"]);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (isReady && !create.isPending) create.mutate();
  }

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={TEXTS.create}
      footer={
        <>
          <Button onClick={onClose}>{texts.common.cancel}</Button>
          <Button type="submit" form="service-account" variant="primary" loading={create.isPending} disabled={!isReady}>
            {TEXTS.create}
          </Button>
        </>
      }
    >
      <form id="service-account" className="grid gap-4" onSubmit={submit} noValidate>
        <Field label={TEXTS.name} error={errorAt(create.error, "name")}>
          <Input value={name} maxLength={128} autoFocus onChange={(event) => setName(event.target.value)} />
        </Field>
        <fieldset className="grid gap-3">
          <legend className="mb-1 text-sm font-medium">{TEXTS.scopes}</legend>
          {known?.data
            .filter(({ can_give }) => can_give)
            .map(({ scope }) => (
              <Checkbox
                key={scope}
                label={texts.keys.scopes[scope].label}
                description={texts.keys.scopes[scope].description}
                checked={scopes.includes(scope)}
                onCheckedChange={(isOn) =>
                  setScopes(isOn ? [...scopes, scope] : scopes.filter((other) => other !== scope))
                }
              />
            ))}
        </fieldset>
        {fault !== undefined && <Banner tone="danger">{fault}</Banner>}
      </form>
    </Dialog>
  );
}
