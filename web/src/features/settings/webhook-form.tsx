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
import { RadioGroup } from "../../ui/radio-group.tsx";
import { toast } from "../../ui/toast.tsx";
import { type Webhook, type WebhookDraft, type WebhookEvent, webhooksQuery } from "./webhook-queries.ts";
import { WebhookSecret } from "./webhook-secret.tsx";
import { EVENTS } from "./webhook-words.ts";

const TEXTS = texts.webhooks.form;

interface WebhookFormProps {
  /** The one that is changed; undefined: a new one. */
  readonly webhook: Webhook | undefined;
  readonly onClose: () => void;
}

/** The form of a webhook. A new one, or one that moved to another origin, ends with its secret, which is shown this once. */
export function WebhookForm({ webhook, onClose }: WebhookFormProps) {
  const queries = useQueryClient();
  const [url, setUrl] = useState(webhook?.url ?? "");
  const [description, setDescription] = useState(webhook?.description ?? "");
  const [wanted, setWanted] = useState<"all" | "some">(webhook?.events ? "some" : "all");
  const [events, setEvents] = useState<readonly WebhookEvent[]>(webhook?.events ?? []);
  const [secret, setSecret] = useState<string>();
  const lacksEvents = wanted === "some" && events.length === 0;
  const save = useMutation({
    mutationFn: async () => {
      const body: WebhookDraft = {
        url: url.trim(),
        description: description.trim(),
        events: wanted === "all" ? null : events,
      };
      if (webhook !== undefined)
        return (await api.call("PATCH /v1/webhooks/{id}", { params: { id: webhook.id }, body })).secret;
      return (await api.call("POST /v1/webhooks", { body })).secret;
    },
    onSuccess: async (made) => {
      await queries.invalidateQueries({ queryKey: webhooksQuery.queryKey });
      setSecret(made);
      if (made !== undefined) return;
      onClose();
      toast({ title: TEXTS.saved });
    },
  });
  if (secret !== undefined) return <WebhookSecret secret={secret} onClose={onClose} />;
  const fault = errorBeside(save.error, ["url", "description"]);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (url.trim() !== "" && !lacksEvents && !save.isPending) save.mutate();
  }

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={webhook === undefined ? TEXTS.add : TEXTS.edit}
      footer={
        <>
          <Button onClick={onClose}>{texts.common.cancel}</Button>
          <Button
            type="submit"
            form="webhook"
            variant="primary"
            loading={save.isPending}
            disabled={url.trim() === "" || lacksEvents}
          >
            {webhook === undefined ? TEXTS.add : TEXTS.save}
          </Button>
        </>
      }
    >
      <form id="webhook" className="grid gap-4" onSubmit={submit} noValidate>
        <Field label={TEXTS.url} hint={TEXTS.urlHint} error={errorAt(save.error, "url")}>
          <Input
            type="url"
            mono
            value={url}
            maxLength={2048}
            placeholder="https://example.com/hooks/trunkline"
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setUrl(event.target.value)}
          />
        </Field>
        <Field label={TEXTS.description} optional error={errorAt(save.error, "description")}>
          <Input
            value={description}
            maxLength={256}
            autoComplete="off"
            onChange={(event) => setDescription(event.target.value)}
          />
        </Field>
        <RadioGroup
          label={TEXTS.events}
          value={wanted}
          onValueChange={setWanted}
          columns={2}
          options={[
            { value: "all", label: TEXTS.all, description: TEXTS.allText },
            { value: "some", label: TEXTS.some, description: TEXTS.someText },
          ]}
        />
        {wanted === "some" && (
          <fieldset className="grid gap-3" aria-label={TEXTS.which}>
            {EVENTS.map(({ value, label }) => (
              <Checkbox
                key={value}
                label={label}
                description={<code className="text-xs">{value}</code>}
                checked={events.includes(value)}
                onCheckedChange={(isOn) =>
                  setEvents(isOn ? [...events, value] : events.filter((event) => event !== value))
                }
              />
            ))}
            {lacksEvents && <p className="text-sm text-muted">{TEXTS.atLeastOne}</p>}
          </fieldset>
        )}
        {fault !== undefined && <Banner tone="danger">{fault}</Banner>}
      </form>
    </Dialog>
  );
}
