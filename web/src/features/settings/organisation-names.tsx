import { useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { sessionQuery, usePermission } from "../../api/session.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { toast } from "../../ui/toast.tsx";
import { type Organisation, organisationQuery } from "./organisation-query.ts";

const TEXTS = texts.settings.organisation;

/** The form for the organisation's two names. */
export function OrganisationNames({ organisation }: { readonly organisation: Organisation }) {
  const queries = useQueryClient();
  const mayChange = usePermission("organisation.change") && !organisation.suspended;
  const form = useApiForm({
    values: { name: organisation.name, provider: organisation.provider },
    send: ({ name, provider }) =>
      api.call("PATCH /v1/organisation", { body: { name: name.trim(), provider: provider.trim() } }),
    onSent: async (changed) => {
      queries.setQueryData(organisationQuery.queryKey, changed);
      form.reset({ name: changed.name, provider: changed.provider });
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
      toast({ title: TEXTS.namesSaved });
    },
  });
  return (
    <Form form={form}>
      <TextField
        form={form}
        name="name"
        label={TEXTS.name}
        required
        maxLength={128}
        disabled={!mayChange}
        autoComplete="organization"
      />
      <TextField
        form={form}
        name="provider"
        label={TEXTS.provider}
        required
        hint={
          organisation.operator
            ? TEXTS.providerOperator
            : organisation.provider_fixed
              ? TEXTS.providerFixed
              : TEXTS.providerHint(form.watch("provider").trim() || TEXTS.providerPlaceholder)
        }
        mono
        maxLength={64}
        spellCheck={false}
        autoCapitalize="none"
        autoComplete="off"
        disabled={!mayChange || organisation.provider_fixed}
      />
      {mayChange ? (
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="primary" loading={form.isSending} disabled={!form.isDirty}>
            {TEXTS.saveNames}
          </Button>
          {form.isDirty && (
            <Button variant="ghost" onClick={() => form.reset()}>
              {TEXTS.undo}
            </Button>
          )}
        </div>
      ) : (
        <p className="text-sm text-muted">{texts.settings.onlyAdmins}</p>
      )}
    </Form>
  );
}
