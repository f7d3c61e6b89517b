import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ArrowUp, X } from "lucide-react";
import { type FormEvent, useState } from "react";
import { catalogueQuery } from "../../api/catalogue.ts";
import { api } from "../../api/client.ts";
import { errorAt, errorBeside } from "../../api/sign-in.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Combobox } from "../../ui/combobox.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { Input } from "../../ui/input.tsx";
import { NativeSelect } from "../../ui/native-select.tsx";
import { NumberInput } from "../../ui/number-input.tsx";
import { Textarea } from "../../ui/textarea.tsx";
import { toast } from "../../ui/toast.tsx";
import {
  bodyOf,
  draftOf,
  EFFORTS,
  type Effort,
  isPresetName,
  type Preset,
  type PresetDraft,
  STRATEGIES,
  type Strategy,
} from "./preset-draft.ts";
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
  const [draft, setDraft] = useState<PresetDraft>(() => draftOf(preset));
  const set = (part: Partial<PresetDraft>) => setDraft((now) => ({ ...now, ...part }));
  const name = draft.name.trim();
  const isTaken = preset === undefined && taken.includes(name);
  const nameError = name !== "" && !isPresetName(name) ? TEXTS.nameForm : isTaken ? TEXTS.nameTaken : undefined;
  const isReady = name !== "" && nameError === undefined;
  const save = useMutation({
    mutationFn: () => api.call("PUT /v1/presets/{name}", { params: { name }, body: bodyOf(draft) }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: presetsQuery.queryKey });
      void queries.invalidateQueries({ queryKey: ["models"] });
      onClose();
      toast({ title: TEXTS.saved });
    },
  });
  const fault = errorBeside(save.error, ["name"]);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (isReady && !save.isPending) save.mutate();
  }

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={preset === undefined ? TEXTS.create : TEXTS.edit(preset.name)}
      footer={
        <>
          <Button onClick={onClose}>{texts.common.cancel}</Button>
          <Button type="submit" form="preset" variant="primary" loading={save.isPending} disabled={!isReady}>
            {preset === undefined ? TEXTS.create : TEXTS.save}
          </Button>
        </>
      }
    >
      <form id="preset" className="grid gap-4" onSubmit={submit} noValidate>
        {preset === undefined && (
          <Field label={TEXTS.name} hint={TEXTS.nameHint} error={nameError ?? errorAt(save.error, "name")}>
            <Input
              mono
              value={draft.name}
              maxLength={64}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => set({ name: event.target.value })}
            />
          </Field>
        )}
        <Field label={TEXTS.description} optional>
          <Input
            value={draft.description}
            maxLength={500}
            autoComplete="off"
            onChange={(event) => set({ description: event.target.value })}
          />
        </Field>
        <ModelList models={draft.models} onChange={(models) => set({ models })} />
        <Field label={TEXTS.strategy} hint={TEXTS.strategyHint}>
          <NativeSelect value={draft.route} onChange={(event) => set({ route: event.target.value as Strategy | "" })}>
            <option value="">{TEXTS.usualStrategy}</option>
            {STRATEGIES.map((strategy) => (
              <option key={strategy} value={strategy}>
                {texts.routing.page.strategies[strategy].name}
              </option>
            ))}
          </NativeSelect>
        </Field>
        <Field label={TEXTS.system} optional hint={TEXTS.systemHint}>
          <Textarea
            grow
            rows={3}
            value={draft.system}
            maxLength={100_000}
            onChange={(event) => set({ system: event.target.value })}
          />
        </Field>
        <Parameters draft={draft} onChange={set} />
        {fault !== undefined && <Banner tone="danger">{fault}</Banner>}
      </form>
    </Dialog>
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
function Parameters({
  draft,
  onChange,
}: {
  readonly draft: PresetDraft;
  readonly onChange: (part: Partial<PresetDraft>) => void;
}) {
  return (
    <fieldset className="grid gap-4">
      <legend className="mb-3 text-sm text-muted">{TEXTS.parametersHint}</legend>
      <div className="grid grid-cols-2 gap-4">
        {SAMPLING.map((name) => (
          <NumberField key={name} name={name} value={draft[name]} onChange={onChange} />
        ))}
        <Field label={TEXTS.parameters.effort} optional>
          <NativeSelect
            value={draft.effort}
            onChange={(event) => onChange({ effort: event.target.value as Effort | "" })}
          >
            <option value="">{TEXTS.notSet}</option>
            {EFFORTS.map((effort) => (
              <option key={effort} value={effort}>
                {effort}
              </option>
            ))}
          </NativeSelect>
        </Field>
        {BOUNDS.map((name) => (
          <NumberField key={name} name={name} value={draft[name]} onChange={onChange} />
        ))}
      </div>
      <Field label={TEXTS.parameters.stop} optional hint={TEXTS.stopHint}>
        <Textarea grow rows={1} mono value={draft.stop} onChange={(event) => onChange({ stop: event.target.value })} />
      </Field>
    </fieldset>
  );
}

function NumberField({
  name,
  value,
  onChange,
}: {
  readonly name: (typeof SAMPLING | typeof BOUNDS)[number];
  readonly value: number | undefined;
  readonly onChange: (part: Partial<PresetDraft>) => void;
}) {
  return (
    <Field label={TEXTS.parameters[name]} optional>
      <NumberInput value={value} onValueChange={(next) => onChange({ [name]: next })} />
    </Field>
  );
}
