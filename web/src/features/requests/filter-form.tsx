import { useQuery } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Combobox } from "../../ui/combobox.tsx";
import { Form, FormField, TextField } from "../../ui/form.tsx";
import { Input } from "../../ui/input.tsx";
import { clockIn, momentIn } from "./moment.ts";
import { FILTERS, type FilterName, filtersOf, isFilter, type RequestFilters } from "./request-search.ts";

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
const OFFERED = ["model", "provider", "key", "task"] as const;
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
  const form = useApiForm({
    values: Object.fromEntries(FILTERS.map((name) => [name, search[name] ?? ""])) as Record<FilterName, string>,
    send: async (draft) => {
      const chosen = Object.entries(draft).map(([name, value]) => [name, value.trim()] as const);
      onApply(filtersOf(Object.fromEntries(chosen.filter(([, value]) => value !== "" && value !== ANY))));
    },
  });
  const wrong = (name: FilterName, words: string) => (value: string) =>
    value.trim() === "" || isFilter(name, value.trim()) ? undefined : words;
  return (
    <Form form={form} className="gap-3">
      {OFFERED.map((by) => (
        <FormField key={by} form={form} name={by} label={TEXTS.names[by]}>
          {({ value, onChange }) => <Offered by={by} value={value || undefined} onValueChange={onChange} />}
        </FormField>
      ))}
      <TextField
        form={form}
        name="tag"
        label={TEXTS.names.tag}
        check={wrong("tag", TEXTS.tagForm)}
        autoComplete="off"
        placeholder={TEXTS.tagPlaceholder}
      />
      <FormField form={form} name="error_type" label={TEXTS.names.error_type}>
        {({ value, onChange }) => (
          <Combobox
            value={value || ANY}
            onValueChange={onChange}
            options={[
              { value: ANY, label: TEXTS.any },
              ...ERROR_TYPES.map((type) => ({ value: type, label: texts.requests.errorTypes[type] ?? type })),
            ]}
          />
        )}
      </FormField>
      <div className="grid grid-cols-2 gap-3">
        <TextField
          form={form}
          name="min_cost"
          label={TEXTS.names.min_cost}
          check={wrong("min_cost", TEXTS.number)}
          inputMode="decimal"
          suffix={TEXTS.costUnit}
          inputClassName="pr-18"
        />
        <TextField
          form={form}
          name="min_latency_ms"
          label={TEXTS.names.min_latency_ms}
          check={wrong("min_latency_ms", TEXTS.number)}
          inputMode="decimal"
          suffix={TEXTS.latencyUnit}
        />
      </div>
      <FormField form={form} name="feedback" label={TEXTS.names.feedback}>
        {({ value, onChange }) => <Combobox value={value || ANY} onValueChange={onChange} options={FEEDBACK} />}
      </FormField>
      <FormField form={form} name="from" label={TEXTS.fromIn(zone)}>
        {({ value, onChange }) => <Moment zone={zone} value={value} onValueChange={onChange} />}
      </FormField>
      <FormField
        form={form}
        name="to"
        label={TEXTS.toIn(zone)}
        check={(to, { from }) => (from !== "" && to !== "" && from >= to ? TEXTS.rangeOrder : undefined)}
      >
        {({ value, onChange }) => <Moment zone={zone} value={value} onValueChange={onChange} />}
      </FormField>
      <div className="flex justify-end gap-2">
        <Button variant="ghost" onClick={() => onApply({})}>
          {TEXTS.clear}
        </Button>
        <Button variant="primary" type="submit">
          {TEXTS.apply}
        </Button>
      </div>
    </Form>
  );
}

interface OfferedProps {
  readonly by: (typeof OFFERED)[number];
  readonly value: string | undefined;
  readonly onValueChange: (value: string) => void;
}

function Offered({ by, value, onValueChange }: OfferedProps) {
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
    <Combobox
      value={value ?? ANY}
      onValueChange={onValueChange}
      options={[{ value: ANY, label: TEXTS.any }, ...found, ...(isKnown ? [] : [{ value, label: value }])]}
    />
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
