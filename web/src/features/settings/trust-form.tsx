import { useQueryClient } from "@tanstack/react-query";
import { Plus, X } from "lucide-react";
import { useFieldArray } from "react-hook-form";
import { api } from "../../api/client.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Form, FormField, NumberField, TextField } from "../../ui/form.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
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
  const form = useApiForm({
    values: {
      preset: "github" as Preset,
      name: "",
      issuer: PRESETS.github.issuer as string,
      audience: location.origin,
      conditions: [...PRESETS.github.conditions] as { claim: string; value: string }[],
      minutes: 60 as number | undefined,
    },
    send: ({ preset, name, issuer, audience, conditions: wanted, minutes }) =>
      api.call("POST /v1/service-accounts/{id}/trusts", {
        params: { id: accountId },
        body: {
          name: name.trim() || PRESETS[preset].label,
          issuer: issuer.trim(),
          audience: audience.trim(),
          conditions: wanted
            .filter(({ claim }) => claim.trim() !== "")
            .map(({ claim, value }) => ({ claim: claim.trim(), values: [value.trim()] })),
          lifetime_seconds: Math.round((minutes ?? 0) * 60),
        },
      }),
    onSent: async (_answer, { preset }) => {
      form.setValue("name", "");
      form.setValue("conditions", [...PRESETS[preset].conditions]);
      await queries.invalidateQueries({ queryKey: trustsQuery(accountId).queryKey });
      toast({ title: TEXTS.added });
    },
    params: { lifetime_seconds: "minutes" },
  });
  const conditions = useFieldArray({ control: form.control, name: "conditions" });

  function choose(chosen: string) {
    if (!isPreset(chosen)) return;
    form.setValue("preset", chosen);
    form.setValue("issuer", PRESETS[chosen].issuer);
    form.setValue("conditions", [...PRESETS[chosen].conditions]);
  }

  return (
    <Form form={form}>
      <div className="grid gap-4 sm:grid-cols-2">
        <FormField form={form} name="preset" label={TEXTS.preset}>
          {(field) => (
            <NativeSelect {...field} onChange={(event) => choose(event.target.value)}>
              {Object.entries(PRESETS).map(([value, { label }]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </NativeSelect>
          )}
        </FormField>
        <TextField form={form} name="name" label={TEXTS.name} optional maxLength={128} />
      </div>
      <TextField form={form} name="issuer" label={TEXTS.issuer} required mono spellCheck={false} />
      <TextField
        form={form}
        name="audience"
        label={TEXTS.audience}
        hint={TEXTS.audienceHint}
        required
        mono
        spellCheck={false}
      />
      <fieldset className="grid gap-2">
        <legend className="text-sm font-medium">{TEXTS.conditions}</legend>
        {conditions.fields.map(({ id }, index) => (
          <div key={id} className="grid grid-cols-[1fr_2fr_auto] items-center gap-2">
            <TextField form={form} name={`conditions.${index}.claim`} label={TEXTS.claim} hideLabel mono />
            <TextField form={form} name={`conditions.${index}.value`} label={TEXTS.value} hideLabel mono />
            <IconButton
              label={TEXTS.removeCondition(form.watch(`conditions.${index}.claim`))}
              icon={<X aria-hidden="true" />}
              onClick={() => conditions.remove(index)}
            />
          </div>
        ))}
        <p className="text-sm text-muted">{TEXTS.valueHint}</p>
        <div>
          <Button
            size="sm"
            icon={<Plus aria-hidden="true" />}
            onClick={() => conditions.append({ claim: "", value: "" })}
          >
            {TEXTS.addCondition}
          </Button>
        </div>
      </fieldset>
      <NumberField form={form} name="minutes" label={TEXTS.minutes} required className="max-w-48" />
      <div>
        <Button type="submit" variant="primary" loading={form.isSending}>
          {TEXTS.add}
        </Button>
      </div>
    </Form>
  );
}
