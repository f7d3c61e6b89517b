import { useQuery, useQueryClient } from "@tanstack/react-query";
import { ArrowUp, X } from "lucide-react";
import { catalogueQuery } from "../../api/catalogue.ts";
import { api } from "../../api/client.ts";
import { type ApiForm, useApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { Combobox } from "../../ui/combobox.tsx";
import { Field } from "../../ui/field.tsx";
import { FormField, FormValue, NumberField, TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { NativeSelect } from "../../ui/native-select.tsx";
import { Textarea } from "../../ui/textarea.tsx";
import { toast } from "../../ui/toast.tsx";
import { bodyOf, draftOf, EFFORTS, isPresetName, type Preset, type PresetDraft, STRATEGIES } from "./preset-draft.ts";
import { presetsQuery } from "./preset-queries.ts";

const TEXTS = texts.presets.form;
const MODELS_MAX = 16;
const SAMPLING = ["maxTokens", "temperature", "topP"] as const;
const BOUNDS = ["maxCost", "maxLatencyMs", "minQuality"] as const;

interface PresetFormProps {
  /** The one that is changed; undefined: a new one. */
  readonly preset: Preset | undefined;
  /** The names that are taken: a new preset would replace one of them. */
  readonly taken: readonly string[];
  readonly onClose: () => void;
}

/** The form of a preset. It is saved as a whole, and holds for new requests within a second. */
export function PresetForm({ preset, taken, onClose }: PresetFormProps) {
  const queries = useQueryClient();
  const form = useApiForm({
    values: draftOf(preset),
    send: (draft) => api.call("PUT /v1/presets/{name}", { params: { name: draft.name.trim() }, body: bodyOf(draft) }),
    onSent: async () => {
      await queries.invalidateQueries({ queryKey: presetsQuery.queryKey });
      void queries.invalidateQueries({ queryKey: ["models"] });
      onClose();
      toast({ title: TEXTS.saved });
    },
  });
  const faultOf = (text: string) => {
    const name = text.trim();
    if (name !== "" && !isPresetName(name)) return TEXTS.nameForm;
    return taken.includes(name) ? TEXTS.nameTaken : undefined;
  };
  return (
    <FormDialog
      form={form}
      title={preset === undefined ? TEXTS.create : TEXTS.edit(preset.name)}
      submitLabel={preset === undefined ? TEXTS.create : TEXTS.save}
      onClose={onClose}
    >
      {preset === undefined && (
        <TextField
          form={form}
          name="name"
          label={TEXTS.name}
          required
          hint={TEXTS.nameHint}
          check={faultOf}
          mistake={faultOf(form.watch("name"))}
          mono
          maxLength={64}
          autoComplete="off"
          spellCheck={false}
        />
      )}
      <TextField form={form} name="description" label={TEXTS.description} optional maxLength={500} autoComplete="off" />
      <FormValue form={form} name="models">
        {({ value, onChange }) => <ModelList models={value} onChange={onChange} />}
      </FormValue>
      <FormField form={form} name="route" label={TEXTS.strategy} hint={TEXTS.strategyHint}>
        {(field) => (
          <NativeSelect {...field}>
            <option value="">{TEXTS.usualStrategy}</option>
            {STRATEGIES.map((strategy) => (
              <option key={strategy} value={strategy}>
                {texts.routing.page.strategies[strategy].name}
              </option>
            ))}
          </NativeSelect>
        )}
      </FormField>
      <FormField form={form} name="system" label={TEXTS.system} optional hint={TEXTS.systemHint}>
        {(field) => <Textarea {...field} grow rows={3} maxLength={100_000} />}
      </FormField>
      <Parameters form={form} />
    </FormDialog>
  );
}

/** The models in the order in which they are tried. */
function ModelList({
  models,
  onChange,
}: {
  readonly models: readonly string[];
  readonly onChange: (models: readonly string[]) => void;
}) {
  const { data: offers = [] } = useQuery(catalogueQuery);
  const options = offers
    .filter(({ full_name }) => !models.includes(full_name))
    .map(({ full_name, type }) => ({ value: full_name, label: full_name, description: type }));
  const move = (index: number) => {
    const next = [...models];
    const [model = ""] = next.splice(index, 1);
    next.splice(index - 1, 0, model);
    onChange(next);
  };
  return (
    <div className="grid gap-2">
      <Field label={TEXTS.models} hint={TEXTS.modelsHint}>
        <Combobox
          value={undefined}
          options={options}
          placeholder={models.length === 0 ? TEXTS.anyModel : TEXTS.addModel}
          searchPlaceholder={TEXTS.searchModels}
          emptyText={TEXTS.noModels}
          disabled={models.length >= MODELS_MAX}
          onValueChange={(model) => onChange([...models, model])}
        />
      </Field>
      {models.length > 0 && (
        <ol aria-label={TEXTS.chosenModels} className="grid gap-1">
          {models.map((model, index) => (
            <li key={model} className="flex min-w-0 items-center gap-2 rounded-sm bg-subtle py-1 pr-1 pl-3 text-sm">
              <span className="text-muted">{index + 1}</span>
              <span className="min-w-0 grow truncate">{model}</span>
              {index > 0 && (
                <IconButton
                  size="sm"
                  label={TEXTS.tryEarlier(model)}
                  icon={<ArrowUp aria-hidden="true" />}
                  onClick={() => move(index)}
                />
              )}
              <IconButton
                size="sm"
                label={TEXTS.removeModel(model)}
                icon={<X aria-hidden="true" />}
                onClick={() => onChange(models.filter((other) => other !== model))}
              />
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

/** What holds for requests that do not set it themselves. */
function Parameters({ form }: { readonly form: ApiForm<PresetDraft> }) {
  return (
    <fieldset className="grid gap-4">
      <legend className="mb-3 text-sm text-muted">{TEXTS.parametersHint}</legend>
      <div className="grid grid-cols-2 gap-4">
        {SAMPLING.map((name) => (
          <NumberField key={name} form={form} name={name} label={TEXTS.parameters[name]} optional />
        ))}
        <FormField form={form} name="effort" label={TEXTS.parameters.effort} optional>
          {(field) => (
            <NativeSelect {...field}>
              <option value="">{TEXTS.notSet}</option>
              {EFFORTS.map((effort) => (
                <option key={effort} value={effort}>
                  {effort}
                </option>
              ))}
            </NativeSelect>
          )}
        </FormField>
        {BOUNDS.map((name) => (
          <NumberField key={name} form={form} name={name} label={TEXTS.parameters[name]} optional />
        ))}
      </div>
      <FormField form={form} name="stop" label={TEXTS.parameters.stop} optional hint={TEXTS.stopHint}>
        {(field) => <Textarea {...field} grow rows={1} mono />}
      </FormField>
    </fieldset>
  );
}
