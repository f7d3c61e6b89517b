import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api } from "../../api/client.ts";
import { errorAt, errorBeside } from "../../api/sign-in.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { NumberInput } from "../../ui/number-input.tsx";
import { RadioGroup } from "../../ui/radio-group.tsx";
import { toast } from "../../ui/toast.tsx";
import { HookSecret } from "./hook-list.tsx";
import { type GuardrailHook, guardrailHooksQuery } from "./hook-queries.ts";

const TEXTS = texts.hooks.guardrails;
const SINKS = texts.hooks.sinks;

type Side = GuardrailHook["sides"][number];
const SIDES: readonly Side[] = ["input", "output"];

interface GuardrailHookFormProps {
  readonly hook: GuardrailHook | undefined;
  readonly onClose: () => void;
}

/** The form of a guardrail hook. A new one, or one that moved, ends with its secret, which is shown this once. */
export function GuardrailHookForm({ hook, onClose }: GuardrailHookFormProps) {
  const queries = useQueryClient();
  const [url, setUrl] = useState(hook?.url ?? "");
  const [sides, setSides] = useState<readonly Side[]>(hook?.sides ?? SIDES);
  const [timeoutMs, setTimeoutMs] = useState<number | undefined>(hook?.timeout_ms ?? 2_000);
  const [onFailure, setOnFailure] = useState<GuardrailHook["on_failure"]>(hook?.on_failure ?? "refuse");
  const [description, setDescription] = useState(hook?.description ?? "");
  const [secret, setSecret] = useState<string>();
  const save = useMutation({
    mutationFn: async () => {
      const body = {
        url: url.trim(),
        sides: [...sides],
        timeout_ms: timeoutMs ?? 2_000,
        on_failure: onFailure,
        description: description.trim(),
      };
      if (hook === undefined) return (await api.call("POST /v1/guardrail-hooks", { body })).secret;
      return (await api.call("PATCH /v1/guardrail-hooks/{id}", { params: { id: hook.id }, body })).secret;
    },
    onSuccess: async (made) => {
      await queries.invalidateQueries({ queryKey: guardrailHooksQuery.queryKey });
      setSecret(made);
      if (made !== undefined) return;
      onClose();
      toast({ title: TEXTS.saved });
    },
  });
  if (secret !== undefined) return <HookSecret secret={secret} text={TEXTS.secretText} onClose={onClose} />;
  const isWhole = url.trim() !== "" && sides.length > 0;
  const fault = errorBeside(save.error, ["url", "timeout_ms", "description"]);
  function submit(event: FormEvent) {
    event.preventDefault();
    if (isWhole && !save.isPending) save.mutate();
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={hook === undefined ? TEXTS.add : TEXTS.edit}
      footer={
        <>
          <Button onClick={onClose}>{texts.common.cancel}</Button>
          <Button type="submit" form="guardrail-hook" variant="primary" loading={save.isPending} disabled={!isWhole}>
            {hook === undefined ? TEXTS.add : SINKS.save}
          </Button>
        </>
      }
    >
      <form id="guardrail-hook" className="grid gap-4" onSubmit={submit} noValidate>
        <Field label={SINKS.url} hint={SINKS.urlHint} error={errorAt(save.error, "url")}>
          <Input
            type="url"
            mono
            value={url}
            maxLength={2048}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setUrl(event.target.value)}
          />
        </Field>
        <fieldset className="grid gap-2">
          <legend className="mb-1 text-sm font-medium">{TEXTS.sides}</legend>
          {SIDES.map((side) => (
            <Checkbox
              key={side}
              label={TEXTS[side]}
              checked={sides.includes(side)}
              onCheckedChange={(isOn) =>
                setSides(SIDES.filter((known) => (known === side ? isOn : sides.includes(known))))
              }
            />
          ))}
          {sides.length === 0 && <p className="text-sm text-danger">{TEXTS.atLeastOne}</p>}
        </fieldset>
        <Field label={TEXTS.timeout} hint={TEXTS.timeoutHint} error={errorAt(save.error, "timeout_ms")}>
          <NumberInput value={timeoutMs} onValueChange={setTimeoutMs} suffix={TEXTS.ms} />
        </Field>
        <RadioGroup
          label={TEXTS.onFailure}
          value={onFailure}
          onValueChange={setOnFailure}
          columns={2}
          options={[
            { value: "refuse", label: TEXTS.refuse, description: TEXTS.refuseText },
            { value: "allow", label: TEXTS.allow, description: TEXTS.allowText },
          ]}
        />
        <Field label={SINKS.descriptionField} optional error={errorAt(save.error, "description")}>
          <Input
            value={description}
            maxLength={256}
            autoComplete="off"
            onChange={(event) => setDescription(event.target.value)}
          />
        </Field>
        {fault !== undefined && <Banner tone="danger">{fault}</Banner>}
      </form>
    </Dialog>
  );
}
