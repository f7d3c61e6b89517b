import { api } from "../../api/client.ts";
import { texts } from "../../texts/texts.ts";
import { Checkbox } from "../../ui/checkbox.tsx";
import { FormGroup, FormValue, NumberField, TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { RadioGroup } from "../../ui/radio-group.tsx";
import { type GuardrailHook, guardrailHooksQuery } from "./hook-queries.ts";
import { ReceiverSecret, useReceiverForm } from "./receivers.tsx";

const TEXTS = texts.hooks.guardrails;
const SINKS = texts.hooks.sinks;

type Side = GuardrailHook["sides"][number];
const SIDES: readonly Side[] = ["input", "output"];
const TIMEOUT_MS = { usual: 2_000, least: 50, most: 30_000 };
const SECTION_CHARACTERS = { usual: 500, least: 50, most: 20_000 };

interface GuardrailHookFormProps {
  readonly hook: GuardrailHook | undefined;
  readonly onClose: () => void;
}

/** The form of a guardrail hook. */
export function GuardrailHookForm({ hook, onClose }: GuardrailHookFormProps) {
  const form = useReceiverForm({
    values: {
      url: hook?.url ?? "",
      sides: hook?.sides ?? SIDES,
      timeout_ms: (hook?.timeout_ms ?? TIMEOUT_MS.usual) as number | undefined,
      on_failure: hook?.on_failure ?? "refuse",
      stream: hook?.stream ?? "whole",
      section_characters: (hook?.section_characters ?? SECTION_CHARACTERS.usual) as number | undefined,
      description: hook?.description ?? "",
    },
    send: ({
      url,
      sides,
      timeout_ms = TIMEOUT_MS.usual,
      section_characters = SECTION_CHARACTERS.usual,
      description,
      ...rest
    }) => {
      const texts = { url: url.trim(), description: description.trim() };
      const body = { ...rest, ...texts, sides: [...sides], timeout_ms, section_characters };
      if (hook === undefined) return api.call("POST /v1/guardrail-hooks", { body });
      return api.call("PATCH /v1/guardrail-hooks/{id}", { params: { id: hook.id }, body });
    },
    queryKey: guardrailHooksQuery.queryKey,
    saved: TEXTS.saved,
    onClose,
  });
  const isAskedAboutAnswers = form.watch("sides").includes("output");
  const hasSections = isAskedAboutAnswers && form.watch("stream") === "sections";
  const secret = form.answer?.secret;
  if (secret !== undefined) return <ReceiverSecret secret={secret} text={TEXTS.secretText} onClose={onClose} />;
  return (
    <FormDialog
      form={form}
      title={hook === undefined ? TEXTS.add : TEXTS.edit}
      submitLabel={hook === undefined ? TEXTS.add : SINKS.save}
      onClose={onClose}
    >
      <TextField
        form={form}
        name="url"
        label={SINKS.url}
        hint={SINKS.urlHint}
        required
        type="url"
        mono
        maxLength={2048}
        autoComplete="off"
        spellCheck={false}
      />
      <FormGroup
        form={form}
        name="sides"
        label={TEXTS.sides}
        check={(sides) => (sides.length === 0 ? TEXTS.atLeastOne : undefined)}
      >
        {({ value: sides, onChange }) =>
          SIDES.map((side) => (
            <Checkbox
              key={side}
              label={TEXTS[side]}
              checked={sides.includes(side)}
              onCheckedChange={(isOn) =>
                onChange(SIDES.filter((known) => (known === side ? isOn : sides.includes(known))))
              }
            />
          ))
        }
      </FormGroup>
      <NumberField
        form={form}
        name="timeout_ms"
        label={TEXTS.timeout}
        hint={TEXTS.timeoutHint}
        required
        suffix={TEXTS.ms}
        check={(ms = 0) => (ms < TIMEOUT_MS.least || ms > TIMEOUT_MS.most ? TEXTS.timeoutWrong : undefined)}
      />
      <FormValue form={form} name="on_failure">
        {({ value, onChange }) => (
          <RadioGroup
            label={TEXTS.onFailure}
            value={value}
            onValueChange={onChange}
            columns={2}
            options={[
              { value: "refuse", label: TEXTS.refuse, description: TEXTS.refuseText },
              { value: "allow", label: TEXTS.allow, description: TEXTS.allowText },
            ]}
          />
        )}
      </FormValue>
      {isAskedAboutAnswers && (
        <FormValue form={form} name="stream">
          {({ value, onChange }) => (
            <RadioGroup
              label={TEXTS.stream}
              value={value}
              onValueChange={onChange}
              columns={2}
              options={[
                { value: "whole", label: TEXTS.whole, description: TEXTS.wholeText },
                { value: "sections", label: TEXTS.sections, description: TEXTS.sectionsText },
              ]}
            />
          )}
        </FormValue>
      )}
      {hasSections && (
        <NumberField
          form={form}
          name="section_characters"
          label={TEXTS.sectionCharacters}
          hint={TEXTS.sectionHint}
          required
          suffix={TEXTS.characters}
          check={(characters = 0) =>
            characters < SECTION_CHARACTERS.least || characters > SECTION_CHARACTERS.most
              ? TEXTS.sectionWrong
              : undefined
          }
        />
      )}
      <TextField
        form={form}
        name="description"
        label={SINKS.descriptionField}
        optional
        maxLength={256}
        autoComplete="off"
      />
    </FormDialog>
  );
}
