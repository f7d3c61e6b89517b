import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { texts } from "../../texts/texts.ts";
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

export interface KeyFormProps {
  readonly id: string;
  readonly draft: KeyDraft;
  readonly errors: DraftErrors;
  /** When the key ends as it stands, where it does. */
  readonly endsAt?: string | null;
  readonly onChange: (draft: KeyDraft) => void;
  readonly onSubmit: () => void;
}

const TEXTS = texts.keys.form;

const EXPIRIES = (["never", "7", "30", "90", "365", "date"] as const).map(
  (value): { readonly value: Expiry; readonly label: string } => ({ value, label: TEXTS.expiries[value] }),
);

const PERIODS = (["day", "week", "month", "total"] as const satisfies readonly Period[]).map((value) => ({
  value,
  label: texts.keys.periods[value],
}));

/** Everything that can be said of a key, in groups. */
export function KeyForm({ id, draft, errors, endsAt = null, onChange, onSubmit }: KeyFormProps) {
  const change = (part: Partial<KeyDraft>) => onChange({ ...draft, ...part });
  const models = useQuery(modelNamesQuery);
  const expiries =
    endsAt === null ? EXPIRIES : [{ value: "keep" as const, label: TEXTS.keep(formatDateTime(endsAt)) }, ...EXPIRIES];

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
      <Field label={TEXTS.name} required error={errors.name} hint={TEXTS.nameHint}>
        <Input
          value={draft.name}
          maxLength={128}
          autoComplete="off"
          onChange={(event) => change({ name: event.target.value })}
        />
      </Field>
      <ScopeChoice value={draft.scopes} error={errors.scopes} onValueChange={(scopes) => change({ scopes })} />
      <Group title={TEXTS.limits}>
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label={TEXTS.budget} optional error={errors.budgetLimit} hint={TEXTS.budgetHint}>
            <Input
              inputMode="decimal"
              autoComplete="off"
              placeholder={TEXTS.noBudget}
              value={draft.budgetLimit}
              onChange={(event) => change({ budgetLimit: event.target.value })}
            />
          </Field>
          <Field label={TEXTS.period} hint={TEXTS.periodHint}>
            <Select
              value={draft.budgetPeriod}
              options={PERIODS}
              onValueChange={(budgetPeriod) => change({ budgetPeriod })}
            />
          </Field>
        </div>
        <Field
          label={TEXTS.requestsPerMinute}
          optional
          error={errors.requestsPerMinute}
          hint={TEXTS.requestsPerMinuteHint}
        >
          <Input
            inputMode="numeric"
            autoComplete="off"
            placeholder={TEXTS.defaultLimit}
            value={draft.requestsPerMinute}
            onChange={(event) => change({ requestsPerMinute: event.target.value })}
          />
        </Field>
      </Group>
      <Group title={TEXTS.expiration}>
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label={TEXTS.expires}>
            <Select value={draft.expiry} options={expiries} onValueChange={(expiry) => change({ expiry })} />
          </Field>
          {draft.expiry === "date" && (
            <Field label={TEXTS.lastDay} required error={errors.date}>
              <Input type="date" value={draft.date} onChange={(event) => change({ date: event.target.value })} />
            </Field>
          )}
        </div>
      </Group>
      <Group title={TEXTS.restrictions}>
        <ModelChoice
          value={draft.models}
          names={models.data}
          error={errors.models ?? (models.error === null ? undefined : TEXTS.modelsFailed)}
          onValueChange={(chosen) => change({ models: chosen })}
        />
        <Field label={TEXTS.ips} optional error={wrongRangeOf(draft.ips) ?? errors.ips} hint={TEXTS.ipsHint}>
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
          label={TEXTS.websites}
          optional
          error={wrongOriginOf(draft.origins) ?? errors.origins}
          hint={TEXTS.websitesHint}
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
      <Group title={TEXTS.safety}>
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
