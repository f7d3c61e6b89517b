import { useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { FormValue } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { RadioGroup } from "../../ui/radio-group.tsx";
import { ReceiverSecret } from "./receivers.tsx";
import { webhooksQuery } from "./webhook-queries.ts";

const TEXTS = texts.webhooks.rotate;

const GRACES = [
  { value: "0", label: TEXTS.graces["0"], description: TEXTS.leaked },
  { value: "3600", label: TEXTS.graces["3600"] },
  { value: "86400", label: TEXTS.graces["86400"] },
  { value: "604800", label: TEXTS.graces["604800"] },
] as const;

interface RotateWebhookProps {
  readonly id: string;
  readonly onClose: () => void;
}

/** Gives a webhook a new secret, after asking how long the old one signs as well. */
export function RotateWebhook({ id, onClose }: RotateWebhookProps) {
  const queries = useQueryClient();
  const form = useApiForm({
    values: { grace: "86400" as (typeof GRACES)[number]["value"] },
    send: ({ grace }) =>
      api.call("POST /v1/webhooks/{id}/rotate", { params: { id }, body: { grace_seconds: Number(grace) } }),
    onSent: () => queries.invalidateQueries({ queryKey: webhooksQuery.queryKey }),
  });
  if (form.answer !== undefined)
    return <ReceiverSecret secret={form.answer.secret} text={texts.webhooks.secret.description} onClose={onClose} />;
  return (
    <FormDialog
      form={form}
      title={TEXTS.title}
      description={TEXTS.description}
      size="sm"
      submitLabel={TEXTS.confirm}
      onClose={onClose}
    >
      <FormValue form={form} name="grace">
        {({ value, onChange }) => (
          <RadioGroup label={TEXTS.label} value={value} onValueChange={onChange} options={GRACES} />
        )}
      </FormValue>
    </FormDialog>
  );
}
