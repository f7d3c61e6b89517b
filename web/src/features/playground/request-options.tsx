import type { Offer } from "../../api/catalogue.ts";
import { texts } from "../../texts/texts.ts";
import { MultiCombobox } from "../../ui/combobox.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { NumberInput } from "../../ui/number-input.tsx";
import { Select } from "../../ui/select.tsx";
import { Switch } from "../../ui/switch.tsx";
import { CheckOptions } from "./check-options.tsx";
import { fittingModels } from "./fitting-models.ts";
import { Group } from "./option-group.tsx";
import { OutputOptions } from "./output-options.tsx";
import { Parameters } from "./parameters.tsx";
import { findMistakes, hasCascade, type Settings } from "./settings.ts";
import { ToolOptions } from "./tool-options.tsx";

const { playground: words } = texts;
const UNSET = "unset";

interface OptionsProps {
  readonly settings: Settings;
  readonly onChange: (changes: Partial<Settings>) => void;
  readonly offers: readonly Offer[];
}

/** What can be set besides the model and the message. */
export function RequestOptions({ settings, onChange, offers }: OptionsProps) {
  const mistakes = findMistakes(settings);
  const isChat = settings.mode === "chat";
  const { preferences } = settings;
  const prefer = (changes: Partial<Settings["preferences"]>) =>
    onChange({ preferences: { ...preferences, ...changes } });
  return (
    <div className="grid gap-3">
      <Parameters settings={settings} offers={offers} mistakes={mistakes} onChange={onChange} />
      {isChat && <ToolOptions settings={settings} onChange={onChange} />}
      {isChat && <OutputOptions settings={settings} mistakes={mistakes} onChange={onChange} />}
      {hasCascade(settings) && (
        <CheckOptions check={settings.check} mistakes={mistakes} onChange={(check) => onChange({ check })} />
      )}
      <Group title={words.routingPreferences} isOpen={Object.keys(preferences).length > 0}>
        <Preference
          label={words.speed}
          value={preferences.speed}
          choices={["fast", "balanced", "any"] as const}
          onChange={(speed) => prefer({ speed })}
        />
        <Preference
          label={words.cost}
          value={preferences.cost}
          choices={["low", "balanced", "any"] as const}
          onChange={(cost) => prefer({ cost })}
        />
        <Preference
          label={words.quality}
          value={preferences.quality}
          choices={["high", "balanced", "any"] as const}
          onChange={(quality) => prefer({ quality })}
        />
        <Field label={words.maxCost} hint={words.maxCostHint} error={mistakes.max_cost}>
          <NumberInput value={preferences.max_cost} onValueChange={(max_cost) => prefer({ max_cost })} />
        </Field>
        <Field label={words.maxLatency} hint={words.maxLatencyHint} error={mistakes.max_latency_ms}>
          <NumberInput
            value={preferences.max_latency_ms}
            onValueChange={(max_latency_ms) => prefer({ max_latency_ms })}
          />
        </Field>
        <Field label={words.minQuality} hint={words.minQualityHint} error={mistakes.min_quality}>
          <NumberInput value={preferences.min_quality} onValueChange={(min_quality) => prefer({ min_quality })} />
        </Field>
      </Group>
      <Group title={words.fallbacks} isOpen={settings.fallbacks.length > 0}>
        <Field label={words.fallbackModels} hint={words.fallbacksHint} className="col-span-full">
          <MultiCombobox
            value={settings.fallbacks}
            onValueChange={(fallbacks) => onChange({ fallbacks: fallbacks.slice(0, 16) })}
            placeholder={words.none}
            searchPlaceholder={words.searchModels}
            options={fittingModels(settings.mode, offers).map(({ full_name }) => ({
              value: full_name,
              label: full_name,
            }))}
          />
        </Field>
      </Group>
      {isChat && <FailoverOptions settings={settings} onChange={onChange} />}
    </div>
  );
}

interface PreferenceProps<Choice extends string> {
  readonly label: string;
  readonly value: Choice | undefined;
  readonly choices: readonly Choice[];
  readonly onChange: (choice: Choice | undefined) => void;
}

function Preference<Choice extends keyof typeof words.preferences>({
  label,
  value,
  choices,
  onChange,
}: PreferenceProps<Choice>) {
  return (
    <Field label={label}>
      <Select<Choice | typeof UNSET>
        value={value ?? UNSET}
        onValueChange={(chosen) => onChange(chosen === UNSET ? undefined : chosen)}
        options={[
          { value: UNSET, label: words.notSet },
          ...choices.map((choice) => ({ value: choice, label: words.preferences[choice] })),
        ]}
      />
    </Field>
  );
}

/** What happens where a model is slow or breaks off, and which requests belong together. */
function FailoverOptions({ settings, onChange }: Omit<OptionsProps, "offers">) {
  const { session, hedges, continues } = settings;
  return (
    <Group title={words.sessions} isOpen={session !== undefined || hedges || !continues}>
      <Field label={words.session} hint={words.sessionHint} className="col-span-full">
        <Input
          value={session ?? ""}
          maxLength={256}
          onChange={({ target }) => onChange({ session: target.value || undefined })}
          placeholder={words.none}
        />
      </Field>
      <Switch
        label={words.hedge}
        description={words.hedgeHint}
        checked={hedges}
        onCheckedChange={(isOn) => onChange({ hedges: isOn })}
      />
      <Switch
        label={words.continueReply}
        description={words.continueReplyHint}
        checked={continues}
        onCheckedChange={(isOn) => onChange({ continues: isOn })}
      />
    </Group>
  );
}
