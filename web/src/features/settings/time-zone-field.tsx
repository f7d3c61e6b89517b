import { useMemo } from "react";
import { Combobox } from "../../ui/combobox.tsx";
import { Field } from "../../ui/field.tsx";
import { formatClock } from "../../ui/format.ts";

interface TimeZoneFieldProps {
  readonly zone: string;
  readonly disabled: boolean;
  readonly onChange: (zone: string) => void;
}

/** A choice among all time zones, found by typing. */
export function TimeZoneField({ zone, disabled, onChange }: TimeZoneFieldProps) {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const options = useMemo(() => {
    const names = new Set([zone, "UTC", own, ...Intl.supportedValuesOf("timeZone")]);
    return [...names].map((name) => ({ value: name, label: name.replaceAll("_", " ") }));
  }, [zone, own]);
  return (
    <Field
      label="Time zone"
      hint={`It is ${formatClock(Date.now(), zone)} there now. Usage by day and budgets by day, week or month follow it.`}
      className="max-w-sm"
    >
      <Combobox
        value={zone}
        disabled={disabled}
        onValueChange={(chosen) => {
          if (chosen !== zone) onChange(chosen);
        }}
        searchPlaceholder="Search places"
        emptyText="No time zone of that name."
        options={options}
      />
    </Field>
  );
}
