import { useState } from "react";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { Select } from "../../ui/select.tsx";
import { FIRST_SETTINGS, findMistakes, TASKS } from "./settings.ts";

const OTHER = "other";

interface TaskFieldProps {
  readonly task: string;
  readonly onChange: (task: string) => void;
}

/** What kind of work it is: one of the known words, or one's own. */
export function TaskField({ task, onChange }: TaskFieldProps) {
  const isKnown = TASKS.some(({ value }) => value === task);
  const [isOther, setIsOther] = useState(!isKnown);
  const showsOther = isOther || !isKnown;
  return (
    <div className="grid content-start gap-2">
      <Field label="Task">
        <Select<string>
          value={showsOther ? OTHER : task}
          onValueChange={(chosen) => {
            setIsOther(chosen === OTHER);
            if (chosen !== OTHER) onChange(chosen);
          }}
          options={[...TASKS, { value: OTHER, label: "Another word" }]}
        />
      </Field>
      {showsOther && (
        <Field label="Task word" hideLabel error={findMistakes({ ...FIRST_SETTINGS, task }).task}>
          <Input value={task} maxLength={64} onChange={(event) => onChange(event.target.value)} />
        </Field>
      )}
    </div>
  );
}
