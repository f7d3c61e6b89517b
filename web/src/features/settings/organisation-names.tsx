import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api } from "../../api/client.ts";
import { sessionQuery, usePermission } from "../../api/session.ts";
import { errorAt, errorBeside } from "../../api/sign-in.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { toast } from "../../ui/toast.tsx";
import { type Organisation, organisationQuery } from "./organisation-query.ts";

const TEXTS = texts.settings.organisation;

/** The form for the organisation's two names. */
export function OrganisationNames({ organisation }: { readonly organisation: Organisation }) {
  const queries = useQueryClient();
  const mayChange = usePermission("organisation.change") && !organisation.suspended;
  const [name, setName] = useState(organisation.name);
  const [provider, setProvider] = useState(organisation.provider);
  const isChanged = name.trim() !== organisation.name || provider.trim() !== organisation.provider;
  const save = useMutation({
    mutationFn: () => api.call("PATCH /v1/organisation", { body: { name: name.trim(), provider: provider.trim() } }),
    onSuccess: async (changed) => {
      queries.setQueryData(organisationQuery.queryKey, changed);
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
      toast({ title: TEXTS.namesSaved });
    },
  });
  const fault = errorBeside(save.error, ["name", "provider"]);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (isChanged && !save.isPending) save.mutate();
  }

  return (
    <form className="grid gap-4" onSubmit={submit} noValidate>
      <Field label={TEXTS.name} error={errorAt(save.error, "name")}>
        <Input
          value={name}
          maxLength={128}
          disabled={!mayChange}
          autoComplete="organization"
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
      <Field
        label={TEXTS.provider}
        error={errorAt(save.error, "provider")}
        hint={
          organisation.operator
            ? TEXTS.providerOperator
            : organisation.provider_fixed
              ? TEXTS.providerFixed
              : TEXTS.providerHint(provider.trim() || TEXTS.providerPlaceholder)
        }
      >
        <Input
          mono
          value={provider}
          maxLength={64}
          spellCheck={false}
          autoCapitalize="none"
          autoComplete="off"
          disabled={!mayChange || organisation.provider_fixed}
          onChange={(event) => setProvider(event.target.value)}
        />
      </Field>
      {fault !== undefined && <Banner tone="danger">{fault}</Banner>}
      {mayChange ? (
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="primary" loading={save.isPending} disabled={!isChanged}>
            {TEXTS.saveNames}
          </Button>
          {isChanged && (
            <Button
              variant="ghost"
              onClick={() => {
                setName(organisation.name);
                setProvider(organisation.provider);
                save.reset();
              }}
            >
              {TEXTS.undo}
            </Button>
          )}
        </div>
      ) : (
        <p className="text-sm text-muted">{texts.settings.onlyAdmins}</p>
      )}
    </form>
  );
}
