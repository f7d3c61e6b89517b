import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { ApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { Form, FormField, FormValue, TextField } from "../../ui/form.tsx";
import { formatDateTime } from "../../ui/format.ts";
import { Select } from "../../ui/select.tsx";
import { Textarea } from "../../ui/textarea.tsx";
import {
  type DraftField,
  type Expiry,
  errorsOf,
  type KeyDraft,
  type Period,
  wrongOriginOf,
  wrongRangeOf,
} from "./key-draft.ts";
import { KeySafety } from "./key-safety.tsx";
import { modelNamesQuery } from "./keys-queries.ts";
import { ModelChoice } from "./model-choice.tsx";
import { ScopeChoice } from "./scope-choice.tsx";

export interface KeyFormProps {
  readonly id: string;
  readonly form: ApiForm<KeyDraft>;
  /** When the key ends as it stands, where it does. */
  readonly endsAt?: string | null;
}

const TEXTS = texts.keys.form;

const EXPIRIES = (["never", "7", "30", "90", "365", "date"] as const).map(
  (value): { readonly value: Expiry; readonly label: string } => ({ value, label: TEXTS.expiries[value] }),
);

const PERIODS = (["day", "week", "month", "total"] as const satisfies readonly Period[]).map((value) => ({
  value,
  label: texts.keys.periods[value],
}));

const wrong = (field: DraftField) => (_value: unknown, draft: KeyDraft) => errorsOf(draft, Date.now())[field];

/** Everything that can be said of a key, in groups. */
export function KeyForm({ id, form, endsAt = null }: KeyFormProps) {
  const models = useQuery(modelNamesQuery);
  const expiries =
    endsAt === null ? EXPIRIES : [{ value: "keep" as const, label: TEXTS.keep(formatDateTime(endsAt)) }, ...EXPIRIES];
  const { expiry, ips, origins } = form.watch();
  return (
    <Form id={id} form={form} className="gap-7">
      <TextField
        form={form}
        name="name"
        label={TEXTS.name}
        required
        check={wrong("name")}
        hint={TEXTS.nameHint}
        maxLength={128}
        autoComplete="off"
      />
      <FormValue form={form} name="scopes" check={wrong("scopes")}>
        {({ value, onChange }, error) => <ScopeChoice value={value} error={error} onValueChange={onChange} />}
      </FormValue>
      <Group title={TEXTS.limits}>
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            form={form}
            name="budgetLimit"
            label={TEXTS.budget}
            optional
            check={wrong("budgetLimit")}
            hint={TEXTS.budgetHint}
            inputMode="decimal"
            autoComplete="off"
            placeholder={TEXTS.noBudget}
          />
          <FormField form={form} name="budgetPeriod" label={TEXTS.period} hint={TEXTS.periodHint}>
            {({ value, onChange }) => <Select value={value} options={PERIODS} onValueChange={onChange} />}
          </FormField>
        </div>
        <TextField
          form={form}
          name="requestsPerMinute"
          label={TEXTS.requestsPerMinute}
          optional
          check={wrong("requestsPerMinute")}
          hint={TEXTS.requestsPerMinuteHint}
          inputMode="numeric"
          autoComplete="off"
          placeholder={TEXTS.defaultLimit}
        />
      </Group>
      <Group title={TEXTS.expiration}>
        <div className="grid gap-4 sm:grid-cols-2">
          <FormField form={form} name="expiry" label={TEXTS.expires}>
            {({ value, onChange }) => <Select value={value} options={expiries} onValueChange={onChange} />}
          </FormField>
          {expiry === "date" && (
            <TextField form={form} name="date" label={TEXTS.lastDay} required check={wrong("date")} type="date" />
          )}
        </div>
      </Group>
      <Group title={TEXTS.restrictions}>
        <FormValue form={form} name="models" check={wrong("models")}>
          {({ value, onChange }, error) => (
            <ModelChoice
              value={value}
              names={models.data}
              error={error ?? (models.error === null ? undefined : TEXTS.modelsFailed)}
              onValueChange={onChange}
            />
          )}
        </FormValue>
        <FormField
          form={form}
          name="ips"
          label={TEXTS.ips}
          optional
          check={wrong("ips")}
          mistake={wrongRangeOf(ips)}
          hint={TEXTS.ipsHint}
        >
          {(field) => <Textarea {...field} mono grow rows={2} spellCheck={false} placeholder="203.0.113.0/24" />}
        </FormField>
        <FormField
          form={form}
          name="origins"
          label={TEXTS.websites}
          optional
          check={wrong("origins")}
          mistake={wrongOriginOf(origins)}
          hint={TEXTS.websitesHint}
        >
          {(field) => (
            <Textarea {...field} mono grow rows={2} spellCheck={false} placeholder="https://app.example.com" />
          )}
        </FormField>
      </Group>
      <Group title={TEXTS.safety}>
        <FormValue form={form} name="safety" check={wrong("safety")}>
          {({ value, onChange }, error) => <KeySafety draft={value} error={error} onChange={onChange} />}
        </FormValue>
      </Group>
    </Form>
  );
}

function Group({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <fieldset className="grid min-w-0 gap-4 border-t border-line pt-5">
      <legend className="float-left mb-1 w-full font-semibold">{title}</legend>
      {children}
    </fieldset>
  );
}
