import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Field } from "../../ui/field.tsx";
import { formatDateTime } from "../../ui/format.ts";
import { Input } from "../../ui/input.tsx";
import { Select } from "../../ui/select.tsx";
import { Textarea } from "../../ui/textarea.tsx";
import { type DraftErrors, type Expiry, type KeyDraft, type Period, wrongOriginOf, wrongRangeOf } from "./key-draft.ts";
import { KeySafety } from "./key-safety.tsx";
import { modelNamesQuery } from "./keys-queries.ts";
import { ModelChoice } from "./model-choice.tsx";
import { ScopeChoice } from "./scope-choice.tsx";
import { PERIOD_WORDS } from "./scope-words.ts";

export interface KeyFormProps {
  readonly id: string;
  readonly draft: KeyDraft;
  readonly errors: DraftErrors;
  /** When the key ends as it stands, where it does. */
  readonly endsAt?: string | null;
  readonly onChange: (draft: KeyDraft) => void;
  readonly onSubmit: () => void;
}

const EXPIRIES: readonly { readonly value: Expiry; readonly label: string }[] = [
  { value: "never", label: "Never" },
  { value: "7", label: "In 7 days" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
  { value: "date", label: "At the end of a day" },
];

const PERIODS = (Object.keys(PERIOD_WORDS) as Period[]).map((value) => ({
  value,
  label: PERIOD_WORDS[value],
}));

/** Everything that can be said of a key, in groups. */
export function KeyForm({ id, draft, errors, endsAt = null, onChange, onSubmit }: KeyFormProps) {
  const change = (part: Partial<KeyDraft>) => onChange({ ...draft, ...part });
  const models = useQuery(modelNamesQuery);
  const expiries =
    endsAt === null
      ? EXPIRIES
      : [{ value: "keep" as const, label: `As it is: ${formatDateTime(endsAt)}` }, ...EXPIRIES];

  return (
    <form
      id={id}
      noValidate
      className="grid gap-7"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <Field label="Name" required error={errors.name} hint="What uses it, such as the name of an application.">
        <Input
          value={draft.name}
          maxLength={128}
          autoComplete="off"
          onChange={(event) => change({ name: event.target.value })}
        />
      </Field>
      <ScopeChoice value={draft.scopes} error={errors.scopes} onValueChange={(scopes) => change({ scopes })} />
      <Group title="How much it may do">
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="Budget" optional error={errors.budgetLimit} hint="Credits it may spend. Then it is refused.">
            <Input
              inputMode="decimal"
              autoComplete="off"
              placeholder="No budget"
              value={draft.budgetLimit}
              onChange={(event) => change({ budgetLimit: event.target.value })}
            />
          </Field>
          <Field label="For" hint="Periods begin in the organisation's time zone.">
            <Select
              value={draft.budgetPeriod}
              options={PERIODS}
              onValueChange={(budgetPeriod) => change({ budgetPeriod })}
            />
          </Field>
        </div>
        <Field
          label="Requests a minute"
          optional
          error={errors.requestsPerMinute}
          hint="Left empty, the service's own limit holds."
        >
          <Input
            inputMode="numeric"
            autoComplete="off"
            placeholder="The service's limit"
            value={draft.requestsPerMinute}
            onChange={(event) => change({ requestsPerMinute: event.target.value })}
          />
        </Field>
      </Group>
      <Group title="Until when">
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="Expires">
            <Select value={draft.expiry} options={expiries} onValueChange={(expiry) => change({ expiry })} />
          </Field>
          {draft.expiry === "date" && (
            <Field label="Last day" required error={errors.date}>
              <Input type="date" value={draft.date} onChange={(event) => change({ date: event.target.value })} />
            </Field>
          )}
        </div>
      </Group>
      <Group title="Where and with what">
        <ModelChoice
          value={draft.models}
          names={models.data}
          error={errors.models ?? (models.error === null ? undefined : "The models could not be loaded.")}
          onValueChange={(chosen) => change({ models: chosen })}
        />
        <Field
          label="Addresses"
          optional
          error={wrongRangeOf(draft.ips) ?? errors.ips}
          hint="Addresses or ranges it may be used from, one a line. Left empty: from anywhere."
        >
          <Textarea
            mono
            grow
            rows={2}
            spellCheck={false}
            placeholder="203.0.113.0/24"
            value={draft.ips}
            onChange={(event) => change({ ips: event.target.value })}
          />
        </Field>
        <Field
          label="Websites"
          optional
          error={wrongOriginOf(draft.origins) ?? errors.origins}
          hint="Sites whose pages may use the key in a browser, one a line. Left empty: the account's setting for keys that only run inference and read; no site for all others."
        >
          <Textarea
            mono
            grow
            rows={2}
            spellCheck={false}
            placeholder="https://app.example.com"
            value={draft.origins}
            onChange={(event) => change({ origins: event.target.value })}
          />
        </Field>
      </Group>
      <Group title="Safety">
        <KeySafety draft={draft.safety} error={errors.safety} onChange={(safety) => change({ safety })} />
      </Group>
    </form>
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
