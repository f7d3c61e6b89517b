import { useState } from "react";
import { texts } from "../../texts/texts.ts";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { Select } from "../../ui/select.tsx";
import { PRESETS, type Preset, TAG, type UsageSearch } from "./usage-search.ts";

const TEXTS = texts.usage;
const BROWSER_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

interface RangeControlsProps {
  readonly search: UsageSearch;
  readonly zone: string;
  readonly ownZone: string;
  readonly isLive: boolean;
  readonly onChange: (part: Partial<Record<keyof UsageSearch, string | undefined>>) => void;
}

/** Which time, and by whose clock. */
export function RangeControls({ search, zone, ownZone, isLive, onChange }: RangeControlsProps) {
  const { range = "7d", from, to } = search;
  return (
    <div className="flex flex-wrap items-end gap-3">
      <Field label={TEXTS.range} className="w-44 max-sm:grow">
        <Select<Preset>
          value={range}
          onValueChange={(value) => onChange({ range: value })}
          options={PRESETS.map((value) => ({ value, label: TEXTS.presets[value] }))}
        />
      </Field>
      {range === "custom" && (
        <>
          <Field label={TEXTS.from} className="max-sm:grow">
            <Input
              type="date"
              value={from ?? ""}
              max={to}
              onChange={(event) => onChange({ from: event.target.value || undefined })}
            />
          </Field>
          <Field label={TEXTS.to} className="max-sm:grow">
            <Input
              type="date"
              value={to ?? ""}
              min={from}
              onChange={(event) => onChange({ to: event.target.value || undefined })}
            />
          </Field>
        </>
      )}
      <Field label={TEXTS.zone} className="w-64 max-sm:grow">
        <Select
          value={search.zone === undefined ? "own" : zone}
          onValueChange={(value) => onChange({ zone: value === "own" ? undefined : value })}
          options={zoneOptions(ownZone, search.zone === undefined ? undefined : zone)}
        />
      </Field>
      <TagField key={search.tag} tag={search.tag} onChange={(tag) => onChange({ tag })} />
      {isLive && (
        <p className="flex h-9 items-center gap-2 text-sm text-muted">
          <span aria-hidden="true" className="size-2 rounded-full bg-positive" />
          {TEXTS.live}
        </p>
      )}
    </div>
  );
}

/** A tag of the requests, taken over when it is complete: with Enter, or when the field is left. */
function TagField({
  tag,
  onChange,
}: {
  readonly tag: string | undefined;
  readonly onChange: (tag: string | undefined) => void;
}) {
  const [text, setText] = useState(tag ?? "");
  const trimmed = text.trim();
  const isWrong = trimmed !== "" && !TAG.test(trimmed);
  function take() {
    if (!isWrong && trimmed !== (tag ?? "")) onChange(trimmed === "" ? undefined : trimmed);
  }
  return (
    <Field label={TEXTS.groups.names.tag} error={isWrong && TEXTS.tagForm} className="w-52 max-sm:grow">
      <Input
        value={text}
        maxLength={577}
        autoComplete="off"
        spellCheck={false}
        placeholder={TEXTS.tagPlaceholder}
        onChange={(event) => setText(event.target.value)}
        onBlur={take}
        onKeyDown={(event) => event.key === "Enter" && take()}
      />
    </Field>
  );
}

function zoneOptions(ownZone: string, chosen: string | undefined) {
  const others = [BROWSER_ZONE, "UTC", ...(chosen === undefined ? [] : [chosen])];
  const label = (zone: string) => (zone === BROWSER_ZONE ? TEXTS.zoneDevice(zone) : zone);
  return [
    { value: "own", label: TEXTS.zoneOrganisation(ownZone) },
    ...[...new Set(others)].map((value) => ({ value, label: label(value) })),
  ];
}
