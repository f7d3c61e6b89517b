import type { Offer } from "../../api/catalogue.ts";
import { texts } from "../../texts/texts.ts";
import { Field } from "../../ui/field.tsx";
import { formatNumber } from "../../ui/format.ts";
import { Input } from "../../ui/input.tsx";
import { NumberInput } from "../../ui/number-input.tsx";
import { Select } from "../../ui/select.tsx";
import { Textarea } from "../../ui/textarea.tsx";
import { Group } from "./option-group.tsx";
import { EFFORTS, type Field as FieldName, type Settings, VERBOSITIES } from "./settings.ts";

const { playground: words } = texts;
const DEFAULT = "default";

interface ParametersProps {
  readonly settings: Settings;
  readonly offers: readonly Offer[];
  readonly mistakes: Partial<Record<FieldName, string>>;
  readonly onChange: (changes: Partial<Settings>) => void;
}

/** The parameters of the model. What is left open is the model's own choice. */
export function Parameters({ settings, offers, mistakes, onChange }: ParametersProps) {
  const { mode } = settings;
  return (
    <Group title={words.parameters} isOpen>
      {mode === "chat" && (
        <ChatParameters settings={settings} offers={offers} mistakes={mistakes} onChange={onChange} />
      )}
      {mode === "image" && (
        <Field label={words.size} hint={words.sizeHint} error={mistakes.size}>
          <Input
            value={settings.size ?? ""}
            onChange={({ target }) => onChange({ size: target.value || undefined })}
            placeholder="1024x1024"
            mono
          />
        </Field>
      )}
      {mode === "speech" && (
        <>
          <Field label={words.voice}>
            <Input
              value={settings.voice ?? ""}
              onChange={({ target }) => onChange({ voice: target.value || undefined })}
              maxLength={64}
              placeholder={words.modelDefault}
            />
          </Field>
          <Field label={words.audioFormat}>
            <Input
              value={settings.format ?? ""}
              onChange={({ target }) => onChange({ format: target.value || undefined })}
              maxLength={64}
              placeholder={words.modelDefault}
            />
          </Field>
        </>
      )}
    </Group>
  );
}

function ChatParameters({ settings, offers, mistakes, onChange }: ParametersProps) {
  const limit = outputLimitOf(settings, offers);
  return (
    <>
      <Field
        label={words.maxTokens}
        hint={limit === undefined ? words.maxTokensHint : words.maxTokensLimit(formatNumber(limit))}
        error={mistakes.maxTokens}
      >
        <NumberInput
          value={settings.maxTokens}
          onValueChange={(maxTokens) => onChange({ maxTokens })}
          placeholder={words.modelDefault}
        />
      </Field>
      <Field label={words.temperature} hint={words.temperatureHint} error={mistakes.temperature}>
        <NumberInput
          value={settings.temperature}
          onValueChange={(temperature) => onChange({ temperature })}
          placeholder={words.modelDefault}
        />
      </Field>
      <Field label={words.topP} hint={words.topPHint} error={mistakes.topP}>
        <NumberInput
          value={settings.topP}
          onValueChange={(topP) => onChange({ topP })}
          placeholder={words.modelDefault}
        />
      </Field>
      <Choice
        label={words.effort}
        value={settings.effort}
        choices={EFFORTS}
        labels={words.efforts}
        onChange={(effort) => onChange({ effort })}
      />
      <Choice
        label={words.verbosity}
        value={settings.verbosity}
        choices={VERBOSITIES}
        labels={words.efforts}
        onChange={(verbosity) => onChange({ verbosity })}
      />
      <Field label={words.frequencyPenalty} hint={words.penaltyHint} error={mistakes.frequencyPenalty}>
        <NumberInput
          value={settings.frequencyPenalty}
          onValueChange={(frequencyPenalty) => onChange({ frequencyPenalty })}
          placeholder={words.modelDefault}
        />
      </Field>
      <Field label={words.presencePenalty} hint={words.penaltyHint} error={mistakes.presencePenalty}>
        <NumberInput
          value={settings.presencePenalty}
          onValueChange={(presencePenalty) => onChange({ presencePenalty })}
          placeholder={words.modelDefault}
        />
      </Field>
      <Field label={words.seed} hint={words.seedHint} error={mistakes.seed}>
        <NumberInput value={settings.seed} onValueChange={(seed) => onChange({ seed })} placeholder={words.none} />
      </Field>
      <Field label={words.stopSequences} hint={words.stopSequencesHint} error={mistakes.stop}>
        <Textarea
          mono
          grow
          rows={1}
          value={settings.stop ?? ""}
          onChange={({ target }) => onChange({ stop: target.value || undefined })}
          placeholder={words.none}
          className="min-h-9 text-sm"
        />
      </Field>
    </>
  );
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value | undefined;
  readonly choices: readonly Value[];
  readonly labels: Readonly<Record<Value, string>>;
  readonly onChange: (value: Value | undefined) => void;
}

function Choice<Value extends string>({ label, value, choices, labels, onChange }: ChoiceProps<Value>) {
  return (
    <Field label={label}>
      <Select<Value | typeof DEFAULT>
        value={value ?? DEFAULT}
        onValueChange={(chosen) => onChange(chosen === DEFAULT ? undefined : chosen)}
        options={[
          { value: DEFAULT, label: words.modelDefault },
          ...choices.map((choice) => ({ value: choice, label: labels[choice] })),
        ]}
      />
    </Field>
  );
}

/** How long an answer of the chosen models can be; undefined where one of them does not say. */
function outputLimitOf({ columns }: Settings, offers: readonly Offer[]): number | undefined {
  const limits = columns.map(({ model }) => offers.find(({ full_name }) => full_name === model)?.max_output_tokens);
  return limits.some((limit) => limit == null) ? undefined : Math.min(...limits.map(Number));
}
