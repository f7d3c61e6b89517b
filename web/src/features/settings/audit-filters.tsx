import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Combobox } from "../../ui/combobox.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { Select } from "../../ui/select.tsx";
import { ACTION_GROUPS } from "./audit-event-words.ts";
import { type AuditFilter, NO_FILTER } from "./audit-query.ts";
import { membersQuery } from "./member-queries.ts";
import { settingsQuery } from "./settings-query.ts";

const TEXTS = texts.audit.filters;

const ANY = "any";

interface AuditFiltersProps {
  readonly filter: AuditFilter;
  readonly onChange: (filter: AuditFilter) => void;
}

/** What the log is narrowed to: who, what and when. */
export function AuditFilters({ filter, onChange }: AuditFiltersProps) {
  const { data: members } = useInfiniteQuery(membersQuery);
  const { data: settings } = useQuery(settingsQuery);
  const people = (members?.pages ?? []).flatMap((page) =>
    page.data.map(({ id, name, email }) => ({ value: id, label: email, description: name })),
  );
  const { actor } = filter;
  // Deleted keys and people have entries, too: the chosen actor is always in the list.
  const stranger =
    actor === undefined || people.some(({ value }) => value === actor.id)
      ? []
      : [{ value: actor.id, label: actor.name }];
  const zone = settings?.time_zone;

  function chooseActor(id: string) {
    const chosen = people.find(({ value }) => value === id);
    onChange({ ...filter, actor: chosen && { id: chosen.value, name: chosen.label } });
  }

  return (
    <fieldset
      aria-label={TEXTS.label}
      className="flex min-w-0 flex-wrap items-end gap-3 [&>*]:min-w-0 [&>*]:grow sm:[&>*]:grow-0"
    >
      <Field label={TEXTS.by} className="basis-full sm:basis-56">
        <Combobox
          value={actor?.id ?? ANY}
          onValueChange={chooseActor}
          searchPlaceholder={TEXTS.searchPeople}
          options={[{ value: ANY, label: TEXTS.anyone }, ...stranger, ...people]}
        />
      </Field>
      <Field label={TEXTS.what} className="basis-full sm:basis-48">
        <Select
          value={filter.action ?? ANY}
          onValueChange={(action) => onChange({ ...filter, action: action === ANY ? undefined : action })}
          options={[{ value: ANY, label: TEXTS.everything }, ...ACTION_GROUPS]}
        />
      </Field>
      <Field label={TEXTS.from} className="basis-36 sm:basis-44">
        <Input
          type="date"
          value={filter.from}
          max={filter.to === "" ? undefined : filter.to}
          onChange={(event) => onChange({ ...filter, from: event.target.value })}
        />
      </Field>
      <Field label={TEXTS.to} className="basis-36 sm:basis-44">
        <Input
          type="date"
          value={filter.to}
          min={filter.from === "" ? undefined : filter.from}
          onChange={(event) => onChange({ ...filter, to: event.target.value })}
        />
      </Field>
      {filter !== NO_FILTER && (
        <Button variant="ghost" icon={<X aria-hidden="true" />} onClick={() => onChange(NO_FILTER)}>
          {TEXTS.clear}
        </Button>
      )}
      {zone !== undefined && (filter.from !== "" || filter.to !== "") && (
        <p className="basis-full text-sm text-muted">{TEXTS.zone(zone)}</p>
      )}
    </fieldset>
  );
}
