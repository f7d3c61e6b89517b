import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api } from "../../api/client.ts";
import { sessionQuery, usePermission } from "../../api/session.ts";
import { errorAt, errorBeside } from "../../api/sign-in.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { toast } from "../../ui/toast.tsx";
import { type Organisation, organisationQuery } from "./organisation-query.ts";

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
      toast({ title: "The names are saved." });
    },
  });
  const fault = errorBeside(save.error, ["name", "provider"]);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (isChanged && !save.isPending) save.mutate();
  }

  return (
    <form className="grid gap-4" onSubmit={submit} noValidate>
      <Field label="Name" error={errorAt(save.error, "name")}>
        <Input
          value={name}
          maxLength={128}
          disabled={!mayChange}
          autoComplete="organization"
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
      <Field
        label="Provider name"
        error={errorAt(save.error, "provider")}
        hint={
          organisation.operator
            ? "The operator's organisation keeps its provider name."
            : organisation.provider_fixed
              ? "It can't change any more: models were registered under it, and clients name them by it."
              : `Your models appear as ${provider.trim() || "name"}/model. It can't change once you have registered one.`
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
            Save names
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
              Undo
            </Button>
          )}
        </div>
      ) : (
        <p className="text-sm text-muted">Owners and admins can change these.</p>
      )}
    </form>
  );
}
