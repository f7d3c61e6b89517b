import { api } from "../../api/client.ts";
import { texts } from "../../texts/texts.ts";
import { Checkbox } from "../../ui/checkbox.tsx";
import { FormGroup, FormValue, TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { RadioGroup } from "../../ui/radio-group.tsx";
import { ReceiverSecret, useReceiverForm } from "./receivers.tsx";
import { type Webhook, type WebhookDraft, type WebhookEvent, webhooksQuery } from "./webhook-queries.ts";
import { EVENTS } from "./webhook-words.ts";

const TEXTS = texts.webhooks.form;

interface WebhookFormProps {
  /** The one that is changed; undefined: a new one. */
  readonly webhook: Webhook | undefined;
  readonly onClose: () => void;
}

/** The form of a webhook. */
export function WebhookForm({ webhook, onClose }: WebhookFormProps) {
  const form = useReceiverForm({
    values: {
      url: webhook?.url ?? "",
      description: webhook?.description ?? "",
      wanted: (webhook?.events ? "some" : "all") as "all" | "some",
      events: (webhook?.events ?? []) as readonly WebhookEvent[],
    },
    send: ({ url, description, wanted, events }) => {
      const body: WebhookDraft = {
        url: url.trim(),
        description: description.trim(),
        events: wanted === "all" ? null : events,
      };
      if (webhook === undefined) return api.call("POST /v1/webhooks", { body });
      return api.call("PATCH /v1/webhooks/{id}", { params: { id: webhook.id }, body });
    },
    queryKey: webhooksQuery.queryKey,
    saved: TEXTS.saved,
    onClose,
  });
  const secret = form.answer?.secret;
  if (secret !== undefined)
    return <ReceiverSecret secret={secret} text={texts.webhooks.secret.description} onClose={onClose} />;
  return (
    <FormDialog
      form={form}
      title={webhook === undefined ? TEXTS.add : TEXTS.edit}
      submitLabel={webhook === undefined ? TEXTS.add : TEXTS.save}
      onClose={onClose}
    >
      <TextField
        form={form}
        name="url"
        label={TEXTS.url}
        hint={TEXTS.urlHint}
        required
        type="url"
        mono
        maxLength={2048}
        placeholder="https://example.com/hooks/trunkline"
        autoComplete="off"
        spellCheck={false}
      />
      <TextField form={form} name="description" label={TEXTS.description} optional maxLength={256} autoComplete="off" />
      <FormValue form={form} name="wanted">
        {({ value, onChange }) => (
          <RadioGroup
            label={TEXTS.events}
            value={value}
            onValueChange={onChange}
            columns={2}
            options={[
              { value: "all", label: TEXTS.all, description: TEXTS.allText },
              { value: "some", label: TEXTS.some, description: TEXTS.someText },
            ]}
          />
        )}
      </FormValue>
      {form.watch("wanted") === "some" && (
        <FormGroup
          form={form}
          name="events"
          label={TEXTS.which}
          check={(events) => (events.length === 0 ? TEXTS.atLeastOne : undefined)}
        >
          {({ value: events, onChange }) =>
            EVENTS.map(({ value, label }) => (
              <Checkbox
                key={value}
                label={label}
                description={<code className="text-xs">{value}</code>}
                checked={events.includes(value)}
                onCheckedChange={(isOn) =>
                  onChange(isOn ? [...events, value] : events.filter((event) => event !== value))
                }
              />
            ))
          }
        </FormGroup>
      )}
    </FormDialog>
  );
}
