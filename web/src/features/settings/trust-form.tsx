import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Plus, X } from "lucide-react";
import { type FormEvent, useState } from "react";
import { api } from "../../api/client.ts";
import { errorAt, errorBeside } from "../../api/sign-in.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { Input } from "../../ui/input.tsx";
import { NativeSelect } from "../../ui/native-select.tsx";
import { toast } from "../../ui/toast.tsx";
import { trustsQuery } from "./service-account-queries.ts";

const TEXTS = texts.sso.trust;

/** What each kind of workload usually has in its tokens. */
const PRESETS = {
  github: {
    label: TEXTS.github,
    issuer: "https://token.actions.githubusercontent.com",
    conditions: [{ claim: "repository", value: "" }],
  },
  kubernetes: {
    label: TEXTS.kubernetes,
    issuer: "",
    conditions: [{ claim: "sub", value: "system:serviceaccount:" }],
  },
  other: { label: TEXTS.other, issuer: "", conditions: [{ claim: "sub", value: "" }] },
} as const;

type Preset = keyof typeof PRESETS;
const isPreset = (text: string): text is Preset => Object.hasOwn(PRESETS, text);

/** The form by which the tokens of a workload are trusted. */
export function TrustForm({ accountId }: { readonly accountId: string }) {
  const queries = useQueryClient();
  const [preset, setPreset] = useState<Preset>("github");
  const [name, setName] = useState("");
  const [issuer, setIssuer] = useState<string>(PRESETS.github.issuer);
  const [audience, setAudience] = useState(location.origin);
  const [conditions, setConditions] = useState<readonly { readonly claim: string; readonly value: string }[]>(
    PRESETS.github.conditions,
  );
  const [minutes, setMinutes] = useState("60");
  const add = useMutation({
    mutationFn: () =>
      api.call("POST /v1/service-accounts/{id}/trusts", {
        params: { id: accountId },
        body: {
          name: name.trim() || PRESETS[preset].label,
          issuer: issuer.trim(),
          audience: audience.trim(),
          conditions: conditions
            .filter(({ claim }) => claim.trim() !== "")
            .map(({ claim, value }) => ({ claim: claim.trim(), values: [value.trim()] })),
          lifetime_seconds: Math.round(Number(minutes) * 60),
        },
      }),
    onSuccess: async () => {
      setName("");
      setConditions(PRESETS[preset].conditions);
      await queries.invalidateQueries({ queryKey: trustsQuery(accountId).queryKey });
      toast({ title: TEXTS.added });
    },
  });
  const fault = errorBeside(add.error, ["name", "issuer", "audience", "lifetime_seconds"]);

  function choose(chosen: string) {
    if (!isPreset(chosen)) return;
    setPreset(chosen);
    setIssuer(PRESETS[chosen].issuer);
    setConditions(PRESETS[chosen].conditions);
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!add.isPending) add.mutate();
  }

  return (
    <form className="grid gap-4" onSubmit={submit} noValidate>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={TEXTS.preset}>
          <NativeSelect value={preset} onChange={(event) => choose(event.target.value)}>
            {Object.entries(PRESETS).map(([value, { label }]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </NativeSelect>
        </Field>
        <Field label={TEXTS.name} error={errorAt(add.error, "name")} optional>
          <Input value={name} maxLength={128} onChange={(event) => setName(event.target.value)} />
        </Field>
      </div>
      <Field label={TEXTS.issuer} error={errorAt(add.error, "issuer")}>
        <Input mono value={issuer} spellCheck={false} onChange={(event) => setIssuer(event.target.value)} />
      </Field>
      <Field label={TEXTS.audience} hint={TEXTS.audienceHint} error={errorAt(add.error, "audience")}>
        <Input mono value={audience} spellCheck={false} onChange={(event) => setAudience(event.target.value)} />
      </Field>
      <fieldset className="grid gap-2">
        <legend className="text-sm font-medium">{TEXTS.conditions}</legend>
        {conditions.map((condition, index) => {
          const change = (part: Partial<typeof condition>) =>
            setConditions(conditions.map((each, at) => (at === index ? { ...each, ...part } : each)));
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: conditions have no names of their own while they are written.
            <div key={index} className="grid grid-cols-[1fr_2fr_auto] items-center gap-2">
              <Field label={TEXTS.claim} hideLabel>
                <Input mono value={condition.claim} onChange={(event) => change({ claim: event.target.value })} />
              </Field>
              <Field label={TEXTS.value} hideLabel>
                <Input mono value={condition.value} onChange={(event) => change({ value: event.target.value })} />
              </Field>
              <IconButton
                label={TEXTS.removeCondition(condition.claim)}
                icon={<X aria-hidden="true" />}
                onClick={() => setConditions(conditions.filter((_each, at) => at !== index))}
              />
            </div>
          );
        })}
        <p className="text-sm text-muted">{TEXTS.valueHint}</p>
        <div>
          <Button
            size="sm"
            icon={<Plus aria-hidden="true" />}
            onClick={() => setConditions([...conditions, { claim: "", value: "" }])}
          >
            {TEXTS.addCondition}
          </Button>
        </div>
      </fieldset>
      <Field label={TEXTS.minutes} className="max-w-48" error={errorAt(add.error, "lifetime_seconds")}>
        <Input value={minutes} inputMode="numeric" onChange={(event) => setMinutes(event.target.value)} />
      </Field>
      {fault !== undefined && <Banner tone="danger">{fault}</Banner>}
      <div>
        <Button type="submit" variant="primary" loading={add.isPending}>
          {TEXTS.add}
        </Button>
      </div>
    </form>
  );
}
