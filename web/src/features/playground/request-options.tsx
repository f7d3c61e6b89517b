import type { Offer } from "../../api/catalogue.ts";
import { MultiCombobox } from "../../ui/combobox.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { NumberInput } from "../../ui/number-input.tsx";
import { Select } from "../../ui/select.tsx";
import { Switch } from "../../ui/switch.tsx";
import { CheckOptions } from "./check-options.tsx";
import { Group } from "./option-group.tsx";
import { findMistakes, hasCascade, kindOf, type Settings } from "./settings.ts";

const UNSET = "unset";

interface OptionsProps {
  readonly settings: Settings;
  readonly onChange: (changes: Partial<Settings>) => void;
  readonly offers: readonly Offer[];
}

/** What can be set besides the model and the input. */
export function RequestOptions({ settings, onChange, offers }: OptionsProps) {
  const mistakes = findMistakes(settings);
  const kind = kindOf(settings.task);
  const { preferences } = settings;
  const prefer = (changes: Partial<Settings["preferences"]>) =>
    onChange({ preferences: { ...preferences, ...changes } });
  return (
    <div className="grid gap-3">
      <Group title="Parameters" isOpen>
        {kind === "text" && (
          <>
            <Field label="Most tokens" hint="Of the answer. It bounds the cost." error={mistakes.maxTokens}>
              <NumberInput
                value={settings.maxTokens}
                onValueChange={(maxTokens) => onChange({ maxTokens })}
                placeholder="The model's own limit"
              />
            </Field>
            <Field label="Temperature" hint="From 0, steady, to 2, varied." error={mistakes.temperature}>
              <NumberInput
                value={settings.temperature}
                onValueChange={(temperature) => onChange({ temperature })}
                placeholder="The model's own"
              />
            </Field>
          </>
        )}
        {kind === "image" && (
          <Field label="Size" error={mistakes.size}>
            <Input
              value={settings.size ?? ""}
              onChange={({ target }) => onChange({ size: target.value || undefined })}
              placeholder="1024x1024"
              mono
            />
          </Field>
        )}
        {kind === "audio" && (
          <>
            <Field label="Voice">
              <Input
                value={settings.voice ?? ""}
                onChange={({ target }) => onChange({ voice: target.value || undefined })}
                maxLength={64}
                placeholder="The model's own"
              />
            </Field>
            <Field label="Format">
              <Input
                value={settings.format ?? ""}
                onChange={({ target }) => onChange({ format: target.value || undefined })}
                maxLength={64}
                placeholder="The model's own"
              />
            </Field>
          </>
        )}
      </Group>
      {hasCascade(settings) && (
        <CheckOptions check={settings.check} mistakes={mistakes} onChange={(check) => onChange({ check })} />
      )}
      <Group title="Preferences" isOpen={Object.keys(preferences).length > 0}>
        <Wish
          label="Speed"
          value={preferences.speed}
          choices={["fast", "balanced", "any"] as const}
          onChange={(speed) => prefer({ speed })}
        />
        <Wish
          label="Cost"
          value={preferences.cost}
          choices={["low", "balanced", "any"] as const}
          onChange={(cost) => prefer({ cost })}
        />
        <Wish
          label="Quality"
          value={preferences.quality}
          choices={["high", "balanced", "any"] as const}
          onChange={(quality) => prefer({ quality })}
        />
        <Field label="Most it may cost" hint="In credits, in the worst case." error={mistakes.max_cost}>
          <NumberInput value={preferences.max_cost} onValueChange={(max_cost) => prefer({ max_cost })} />
        </Field>
        <Field label="Most it may take" hint="In milliseconds." error={mistakes.max_latency_ms}>
          <NumberInput
            value={preferences.max_latency_ms}
            onValueChange={(max_latency_ms) => prefer({ max_latency_ms })}
          />
        </Field>
        <Field label="Least quality" hint="From 0 to 1." error={mistakes.min_quality}>
          <NumberInput value={preferences.min_quality} onValueChange={(min_quality) => prefer({ min_quality })} />
        </Field>
      </Group>
      <Group title="Fallbacks" isOpen={settings.fallbacks.length > 0}>
        <Field label="Models to try next" hint="Where the chosen one can't answer." className="col-span-full">
          <MultiCombobox
            value={settings.fallbacks}
            onValueChange={(fallbacks) => onChange({ fallbacks: fallbacks.slice(0, 16) })}
            placeholder="None"
            searchPlaceholder="Search models"
            options={offers.map(({ full_name }) => ({ value: full_name, label: full_name }))}
          />
        </Field>
      </Group>
      {kind === "text" && <SteadinessOptions settings={settings} onChange={onChange} />}
    </div>
  );
}

interface WishProps<Choice extends string> {
  readonly label: string;
  readonly value: Choice | undefined;
  readonly choices: readonly Choice[];
  readonly onChange: (choice: Choice | undefined) => void;
}

function Wish<Choice extends string>({ label, value, choices, onChange }: WishProps<Choice>) {
  return (
    <Field label={label}>
      <Select<Choice | typeof UNSET>
        value={value ?? UNSET}
        onValueChange={(chosen) => onChange(chosen === UNSET ? undefined : chosen)}
        options={[{ value: UNSET, label: "Not said" }, ...choices.map((choice) => ({ value: choice, label: choice }))]}
      />
    </Field>
  );
}

interface SteadinessOptionsProps {
  readonly settings: Settings;
  readonly onChange: (changes: Partial<Settings>) => void;
}

/** What happens where a model is slow or breaks off, and which requests belong together. */
function SteadinessOptions({ settings, onChange }: SteadinessOptionsProps) {
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
