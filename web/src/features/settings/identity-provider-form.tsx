import { useQueryClient } from "@tanstack/react-query";
import { Plus, X } from "lucide-react";
import { useState } from "react";
import { useFieldArray } from "react-hook-form";
import { api } from "../../api/client.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Form, FormField, PasswordField, TextField } from "../../ui/form.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { NativeSelect } from "../../ui/native-select.tsx";
import { toast } from "../../ui/toast.tsx";
import { ROLES } from "./roles.ts";
import { type IdentityProvider, ssoQuery } from "./sso-queries.ts";

const TEXTS = texts.sso.provider;

type GivenRole = IdentityProvider["role_rules"][number]["role"];
const GIVEN = ROLES.flatMap(({ value, label }) => (value === "owner" ? [] : [{ value, label }]));

export interface IdentityProviderFormProps {
  /** Undefined: there is none yet. */
  readonly provider: IdentityProvider | undefined;
  readonly mayChange: boolean;
}

/** The form by which an organisation's identity provider is set up. */
export function IdentityProviderForm({ provider, mayChange }: IdentityProviderFormProps) {
  const queries = useQueryClient();
  const [isRemoving, setIsRemoving] = useState(false);
  const form = useApiForm({
    values: {
      name: provider?.name ?? "",
      issuer: provider?.issuer ?? "",
      client_id: provider?.client_id ?? "",
      client_secret: "",
      scopes: (provider?.scopes ?? ["openid", "email", "profile"]).join(" "),
      groups_claim: provider?.groups_claim ?? "groups",
      role_rules: [...(provider?.role_rules ?? [])],
      default_role: (provider ? (provider.default_role ?? "") : "viewer") as GivenRole | "",
    },
    send: (values) =>
      api.call("PUT /v1/organisation/sso", {
        body: {
          name: values.name.trim(),
          issuer: values.issuer.trim(),
          client_id: values.client_id.trim(),
          ...(values.client_secret === "" ? {} : { client_secret: values.client_secret }),
          scopes: values.scopes.split(/\s+/).filter(Boolean),
          groups_claim: values.groups_claim.trim(),
          role_rules: values.role_rules.filter(({ group }) => group.trim() !== ""),
          default_role: values.default_role === "" ? null : values.default_role,
        },
      }),
    onSent: async () => {
      form.setValue("client_secret", "");
      await queries.invalidateQueries({ queryKey: ssoQuery.queryKey });
      toast({ title: TEXTS.saved });
    },
  });
  const rules = useFieldArray({ control: form.control, name: "role_rules" });
  const plain = {
    form,
    mono: true,
    disabled: !mayChange,
    autoComplete: "off",
    autoCapitalize: "none",
    spellCheck: false,
  } as const;
  return (
    <Form form={form}>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          {...plain}
          name="name"
          label={TEXTS.name}
          required
          hint={TEXTS.nameHint(location.host, form.watch("name").trim() || "…")}
        />
        <TextField {...plain} name="issuer" label={TEXTS.issuer} hint={TEXTS.issuerHint} required />
        <TextField {...plain} name="client_id" label={TEXTS.clientId} required />
        <PasswordField
          {...plain}
          name="client_secret"
          label={TEXTS.clientSecret}
          hint={provider?.has_secret ? TEXTS.secretKept : TEXTS.secretNone}
        />
        <TextField {...plain} name="scopes" label={TEXTS.scopes} hint={TEXTS.scopesHint} required />
        <TextField {...plain} name="groups_claim" label={TEXTS.groupsClaim} required />
      </div>
      <fieldset className="grid gap-2">
        <legend className="text-sm font-medium">{TEXTS.rules}</legend>
        <p className="text-sm text-muted">{TEXTS.rulesHint}</p>
        {rules.fields.map(({ id }, index) => (
          <div key={id} className="grid grid-cols-[1fr_9rem_auto] items-center gap-2">
            <TextField {...plain} name={`role_rules.${index}.group`} label={TEXTS.group} hideLabel />
            <FormField form={form} name={`role_rules.${index}.role`} label={TEXTS.role} hideLabel>
              {(field) => (
                <NativeSelect {...field} disabled={!mayChange}>
                  <GivenRoles />
                </NativeSelect>
              )}
            </FormField>
            <IconButton
              label={TEXTS.removeRule(form.watch(`role_rules.${index}.group`))}
              icon={<X aria-hidden="true" />}
              disabled={!mayChange}
              onClick={() => rules.remove(index)}
            />
          </div>
        ))}
        {mayChange && (
          <div>
            <Button
              size="sm"
              icon={<Plus aria-hidden="true" />}
              onClick={() => rules.append({ group: "", role: "developer" })}
            >
              {TEXTS.addRule}
            </Button>
          </div>
        )}
        <FormField form={form} name="default_role" label={TEXTS.defaultRole} className="mt-2 max-w-xs">
          {(field) => (
            <NativeSelect {...field} disabled={!mayChange}>
              <option value="">{TEXTS.noAccess}</option>
              <GivenRoles />
            </NativeSelect>
          )}
        </FormField>
      </fieldset>
      {provider !== undefined && <RedirectUri uri={provider.redirect_uri} />}
      {mayChange && (
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="primary" loading={form.isSending}>
            {TEXTS.save}
          </Button>
          {provider !== undefined && (
            <Button variant="ghost" onClick={() => setIsRemoving(true)}>
              {TEXTS.remove}
            </Button>
          )}
        </div>
      )}
      <ConfirmDialog
        open={isRemoving}
        onOpenChange={setIsRemoving}
        title={TEXTS.removeTitle}
        confirmLabel={TEXTS.remove}
        danger
        onConfirm={async () => {
          await api.call("DELETE /v1/organisation/sso");
          await queries.invalidateQueries({ queryKey: ssoQuery.queryKey });
          toast({ title: TEXTS.removed });
        }}
      >
        {TEXTS.removeText}
      </ConfirmDialog>
    </Form>
  );
}

function RedirectUri({ uri }: { readonly uri: string }) {
  return (
    <div className="grid gap-1.5">
      <p className="text-sm font-medium">{TEXTS.redirectUri}</p>
      <div className="flex items-center gap-1">
        <code className="min-w-0 text-sm wrap-anywhere">{uri}</code>
        <CopyButton text={uri} label={TEXTS.redirectUri} iconOnly />
      </div>
      <p className="text-sm text-muted">{TEXTS.redirectHint}</p>
    </div>
  );
}

function GivenRoles() {
  return GIVEN.map(({ value, label }) => (
    <option key={value} value={value}>
      {label}
    </option>
  ));
}
