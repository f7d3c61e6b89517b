import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api } from "../../api/client.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Combobox } from "../../ui/combobox.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { clockIn, momentIn } from "./moment.ts";
import { filtersOf, isFilter, type RequestFilters } from "./request-search.ts";

const ERROR_TYPES = [
  "provider_error",
  "provider_timeout",
  "request_rejected",
  "context_length_exceeded",
  "unsafe_input",
  "unsafe_output",
  "insufficient_balance",
  "budget_exceeded",
  "model_not_found",
  "no_model_available",
  "invalid_request",
  "unavailable",
  "check_failed",
  "internal",
];
const OFFERED_MS = 90 * 86_400_000;
/** A choice of a list can't be empty; this stands for none. */
const ANY = "*";

const TEXTS = texts.requests.filters;

const FEEDBACK = [
  { value: ANY, label: TEXTS.feedback.all },
  { value: "any", label: TEXTS.feedback.any },
  { value: "good", label: TEXTS.feedback.good },
  { value: "bad", label: TEXTS.feedback.bad },
];

interface FilterFormProps {
  readonly search: RequestFilters;
  readonly zone: string;
  readonly onApply: (search: RequestFilters) => void;
}

/** Every filter at once. What was used in the last months is offered. */
export function FilterForm({ search, zone, onApply }: FilterFormProps) {
  const [draft, setDraft] = useState<Readonly<Record<string, string>>>(() => ({ ...search }) as Record<string, string>);
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const set = (name: string, value: string) => setDraft((now) => ({ ...now, [name]: value }));

  function apply(event: FormEvent) {
    event.preventDefault();
    const wrong: Record<string, string> = {};
    const next: Record<string, string> = {};
    for (const [name, value] of Object.entries(draft)) {
      const trimmed = value.trim();
      if (trimmed === "" || trimmed === ANY) continue;
      if (isFilter(name as keyof RequestFilters, trimmed)) next[name] = trimmed;
      else wrong[name] = name === "tag" ? TEXTS.tagForm : TEXTS.number;
    }
    if (draft.from && draft.to && draft.from >= draft.to) wrong.to = TEXTS.rangeOrder;
    setErrors(wrong);
    if (Object.keys(wrong).length === 0) onApply(filtersOf(next));
  }

  return (
    <form onSubmit={apply} className="grid gap-3" noValidate>
      <Offered
        label={TEXTS.names.model}
        by="model"
        value={draft.model}
        onValueChange={(value) => set("model", value)}
      />
      <Offered
        label={TEXTS.names.provider}
        by="provider"
        value={draft.provider}
        onValueChange={(value) => set("provider", value)}
      />
      <Offered label={TEXTS.names.key} by="key" value={draft.key} onValueChange={(value) => set("key", value)} />
      <Offered label={TEXTS.names.task} by="task" value={draft.task} onValueChange={(value) => set("task", value)} />
      <Field label={TEXTS.names.tag} error={errors.tag}>
        <Input
          autoComplete="off"
          placeholder={TEXTS.tagPlaceholder}
          value={draft.tag ?? ""}
          onChange={(event) => set("tag", event.target.value)}
        />
      </Field>
      <Field label={TEXTS.names.error_type}>
        <Combobox
          value={draft.error_type ?? ANY}
          onValueChange={(value) => set("error_type", value)}
          options={[
            { value: ANY, label: TEXTS.any },
            ...ERROR_TYPES.map((value) => ({ value, label: texts.requests.errorTypes[value] ?? value })),
          ]}
        />
      </Field>
      <div className="grid grid-cols-2 gap-3">
        <Field label={TEXTS.names.min_cost} error={errors.min_cost}>
          <Input
            inputMode="decimal"
            suffix={TEXTS.costUnit}
            className="pr-18"
            value={draft.min_cost ?? ""}
            onChange={(event) => set("min_cost", event.target.value)}
          />
        </Field>
        <Field label={TEXTS.names.min_latency_ms} error={errors.min_latency_ms}>
          <Input
            inputMode="decimal"
            suffix={TEXTS.latencyUnit}
            value={draft.min_latency_ms ?? ""}
            onChange={(event) => set("min_latency_ms", event.target.value)}
          />
        </Field>
      </div>
      <Field label={TEXTS.names.feedback}>
        <Combobox value={draft.feedback ?? ANY} onValueChange={(value) => set("feedback", value)} options={FEEDBACK} />
      </Field>
      <Field label={TEXTS.fromIn(zone)}>
        <Moment zone={zone} value={draft.from} onValueChange={(value) => set("from", value)} />
      </Field>
      <Field label={TEXTS.toIn(zone)} error={errors.to}>
        <Moment zone={zone} value={draft.to} onValueChange={(value) => set("to", value)} />
      </Field>
      <div className="flex justify-end gap-2">
        <Button variant="ghost" onClick={() => onApply({})}>
          {TEXTS.clear}
        </Button>
        <Button variant="primary" type="submit">
          {TEXTS.apply}
        </Button>
      </div>
    </form>
  );
}

interface OfferedProps {
  readonly label: string;
  readonly by: "model" | "provider" | "key" | "task";
  readonly value: string | undefined;
  readonly onValueChange: (value: string) => void;
}

function Offered({ label, by, value, onValueChange }: OfferedProps) {
  const { data } = useQuery({
    queryKey: ["requests", "offered", by],
    queryFn: ({ signal }) => {
      const from = new Date(Date.now() - OFFERED_MS).toISOString().slice(0, 10);
      return api.call("GET /v1/usage/breakdown", { query: { group_by: by, from }, signal });
    },
    staleTime: 60_000,
  });
  const found = (data?.data ?? []).flatMap((row) => {
    const id = row[by];
    if (typeof id !== "string" || id === "") return [];
    return [{ value: id, label: (by === "key" ? row.key_name : undefined) || id }];
  });
  const isKnown = value === undefined || value === ANY || found.some((option) => option.value === value);
  return (
    <Field label={label}>
      <Combobox
        value={value ?? ANY}
        onValueChange={onValueChange}
        options={[{ value: ANY, label: TEXTS.any }, ...found, ...(isKnown ? [] : [{ value, label: value }])]}
      />
    </Field>
  );
}

interface MomentProps {
  readonly value: string | undefined;
  readonly zone: string;
  readonly onValueChange: (value: string) => void;
}

/** A moment by the clock of a zone, kept as one of all clocks. */
function Moment({ value, zone, onValueChange }: MomentProps) {
  return (
    <Input
      type="datetime-local"
      step={1}
      value={value === undefined || value === "" ? "" : clockIn(zone, value)}
      onChange={(event) => onValueChange(momentIn(zone, event.target.value) ?? "")}
    />
  );
}
