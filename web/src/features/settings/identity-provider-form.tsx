import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Plus, X } from "lucide-react";
import { type FormEvent, useState } from "react";
import { api } from "../../api/client.ts";
import { errorAt, errorBeside } from "../../api/sign-in.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Field } from "../../ui/field.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { Input } from "../../ui/input.tsx";
import { NativeSelect } from "../../ui/native-select.tsx";
import { PasswordInput } from "../../ui/password-input.tsx";
import { toast } from "../../ui/toast.tsx";
import { ROLES } from "./roles.ts";
import { type IdentityProvider, ssoQuery } from "./sso-queries.ts";

const TEXTS = texts.sso.provider;

type GivenRole = IdentityProvider["role_rules"][number]["role"];
const GIVEN = ROLES.flatMap(({ value, label }) => (value === "owner" ? [] : [{ value, label }]));
const FIELDS = ["name", "issuer", "client_id", "client_secret", "scopes", "groups_claim", "default_role"];

export interface IdentityProviderFormProps {
  /** Undefined: there is none yet. */
  readonly provider: IdentityProvider | undefined;
  readonly mayChange: boolean;
}

/** The form by which an organisation's identity provider is set up. */
export function IdentityProviderForm({ provider, mayChange }: IdentityProviderFormProps) {
  const queries = useQueryClient();
  const [name, setName] = useState(provider?.name ?? "");
  const [issuer, setIssuer] = useState(provider?.issuer ?? "");
  const [clientId, setClientId] = useState(provider?.client_id ?? "");
  const [secret, setSecret] = useState("");
  const [scopes, setScopes] = useState((provider?.scopes ?? ["openid", "email", "profile"]).join(" "));
  const [groupsClaim, setGroupsClaim] = useState(provider?.groups_claim ?? "groups");
  const [rules, setRules] = useState<IdentityProvider["role_rules"]>(provider?.role_rules ?? []);
  const [defaultRole, setDefaultRole] = useState<GivenRole | "">(provider ? (provider.default_role ?? "") : "viewer");
  const [isRemoving, setIsRemoving] = useState(false);
  const save = useMutation({
    mutationFn: () =>
      api.call("PUT /v1/organisation/sso", {
        body: {
          name: name.trim(),
          issuer: issuer.trim(),
          client_id: clientId.trim(),
          ...(secret === "" ? {} : { client_secret: secret }),
          scopes: scopes.split(/\s+/).filter(Boolean),
          groups_claim: groupsClaim.trim(),
          role_rules: rules.filter(({ group }) => group.trim() !== ""),
          default_role: defaultRole === "" ? null : defaultRole,
        },
      }),
    onSuccess: async () => {
      setSecret("");
      await queries.invalidateQueries({ queryKey: ssoQuery.queryKey });
      toast({ title: TEXTS.saved });
    },
  });
  const fault = errorBeside(save.error, FIELDS);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!save.isPending) save.mutate();
  }

  return (
    <form className="grid gap-4" onSubmit={submit} noValidate>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label={TEXTS.name}
          hint={TEXTS.nameHint(location.host, name.trim() || "…")}
          error={errorAt(save.error, "name")}
        >
          <TextInput value={name} onValueChange={setName} disabled={!mayChange} />
        </Field>
        <Field label={TEXTS.issuer} hint={TEXTS.issuerHint} error={errorAt(save.error, "issuer")}>
          <TextInput value={issuer} onValueChange={setIssuer} disabled={!mayChange} />
        </Field>
        <Field label={TEXTS.clientId} error={errorAt(save.error, "client_id")}>
          <TextInput value={clientId} onValueChange={setClientId} disabled={!mayChange} />
        </Field>
        <Field
          label={TEXTS.clientSecret}
          hint={provider?.has_secret ? TEXTS.secretKept : TEXTS.secretNone}
          error={errorAt(save.error, "client_secret")}
        >
          <PasswordInput
            mono
            value={secret}
            autoComplete="off"
            disabled={!mayChange}
            onChange={(event) => setSecret(event.target.value)}
          />
        </Field>
        <Field label={TEXTS.scopes} hint={TEXTS.scopesHint} error={errorAt(save.error, "scopes")}>
          <TextInput value={scopes} onValueChange={setScopes} disabled={!mayChange} />
        </Field>
        <Field label={TEXTS.groupsClaim} error={errorAt(save.error, "groups_claim")}>
          <TextInput value={groupsClaim} onValueChange={setGroupsClaim} disabled={!mayChange} />
        </Field>
      </div>
      <fieldset className="grid gap-2">
        <legend className="text-sm font-medium">{TEXTS.rules}</legend>
        <p className="text-sm text-muted">{TEXTS.rulesHint}</p>
        {rules.map((rule, index) => {
          const change = (part: Partial<typeof rule>) =>
            setRules(rules.map((each, at) => (at === index ? { ...each, ...part } : each)));
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: rules have no names of their own while they are written.
            <div key={index} className="grid grid-cols-[1fr_9rem_auto] items-center gap-2">
              <Field label={TEXTS.group} hideLabel>
                <TextInput value={rule.group} onValueChange={(group) => change({ group })} disabled={!mayChange} />
              </Field>
              <Field label={TEXTS.role} hideLabel>
                <RoleSelect value={rule.role} onValueChange={(role) => change({ role })} disabled={!mayChange} />
              </Field>
              <IconButton
                label={TEXTS.removeRule(rule.group)}
                icon={<X aria-hidden="true" />}
                disabled={!mayChange}
                onClick={() => setRules(rules.filter((_rule, at) => at !== index))}
              />
            </div>
          );
        })}
        {mayChange && (
          <div>
            <Button
              size="sm"
              icon={<Plus aria-hidden="true" />}
              onClick={() => setRules([...rules, { group: "", role: "developer" }])}
            >
              {TEXTS.addRule}
            </Button>
          </div>
        )}
        <Field label={TEXTS.defaultRole} className="mt-2 max-w-xs">
          <NativeSelect
            value={defaultRole}
            disabled={!mayChange}
            onChange={(event) => setDefaultRole(GIVEN.find(({ value }) => value === event.target.value)?.value ?? "")}
          >
            <option value="">{TEXTS.noAccess}</option>
            {GIVEN.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </NativeSelect>
        </Field>
      </fieldset>
      {provider !== undefined && <RedirectUri uri={provider.redirect_uri} />}
      {fault !== undefined && <Banner tone="danger">{fault}</Banner>}
      {mayChange && (
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="primary" loading={save.isPending}>
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
    </form>
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

interface TextInputProps {
  readonly value: string;
  readonly onValueChange: (value: string) => void;
  readonly disabled: boolean;
}

function TextInput({ value, onValueChange, disabled }: TextInputProps) {
  return (
    <Input
      mono
      value={value}
      disabled={disabled}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      onChange={(event) => onValueChange(event.target.value)}
    />
  );
}

interface RoleSelectProps {
  readonly value: GivenRole;
  readonly onValueChange: (role: GivenRole) => void;
  readonly disabled: boolean;
}

function RoleSelect({ value, onValueChange, disabled }: RoleSelectProps) {
  return (
    <NativeSelect
      value={value}
      disabled={disabled}
      onChange={(event) => {
        const chosen = GIVEN.find((role) => role.value === event.target.value)?.value;
        if (chosen !== undefined) onValueChange(chosen);
      }}
    >
      {GIVEN.map((role) => (
        <option key={role.value} value={role.value}>
          {role.label}
        </option>
      ))}
    </NativeSelect>
  );
}
