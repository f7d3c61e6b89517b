import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { Switch } from "../../ui/switch.tsx";
import { Group } from "./option-group.tsx";
import type { Settings } from "./settings.ts";

interface SteadinessOptionsProps {
  readonly settings: Settings;
  readonly onChange: (changes: Partial<Settings>) => void;
}

/** What happens where a model is slow or breaks off, and which requests belong together. */
export function SteadinessOptions({ settings, onChange }: SteadinessOptionsProps) {
  const { session, hedges, continues, preferences } = settings;
  const isIdle = hedges && preferences.speed !== "fast";
  return (
    <Group title="Sessions and steadiness" isOpen={session !== undefined || hedges || !continues}>
      <Field label="Session" hint="Requests of one session stay with one model." className="col-span-full">
        <Input
          value={session ?? ""}
          maxLength={256}
          onChange={({ target }) => onChange({ session: target.value || undefined })}
          placeholder="None"
        />
      </Field>
      <Switch
        label="Ask a second model"
        description={
          isIdle
            ? "Counts once the preference for speed is fast."
            : "Where the first takes longer than usual. Needs the preference for speed to be fast."
        }
        checked={hedges}
        onCheckedChange={(isOn) => onChange({ hedges: isOn })}
      />
      <Switch
        label="Go on with another model"
        description="Where one breaks off in the middle of its answer."
        checked={continues}
        onCheckedChange={(isOn) => onChange({ continues: isOn })}
      />
    </Group>
  );
}
