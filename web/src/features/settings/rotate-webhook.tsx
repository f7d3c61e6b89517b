import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { errorBeside } from "../../api/sign-in.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { RadioGroup } from "../../ui/radio-group.tsx";
import { webhooksQuery } from "./webhook-queries.ts";
import { WebhookSecret } from "./webhook-secret.tsx";

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
  const [grace, setGrace] = useState<(typeof GRACES)[number]["value"]>("86400");
  const rotate = useMutation({
    mutationFn: () =>
      api.call("POST /v1/webhooks/{id}/rotate", { params: { id }, body: { grace_seconds: Number(grace) } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: webhooksQuery.queryKey }),
  });
  if (rotate.data !== undefined) return <WebhookSecret secret={rotate.data.secret} onClose={onClose} />;
  const fault = errorBeside(rotate.error, []);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={TEXTS.title}
      description={TEXTS.description}
      size="sm"
      footer={
        <>
          <Button onClick={onClose}>{texts.common.cancel}</Button>
          <Button variant="primary" loading={rotate.isPending} onClick={() => rotate.mutate()}>
            {TEXTS.confirm}
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <RadioGroup label={TEXTS.label} value={grace} onValueChange={setGrace} options={GRACES} />
        {fault !== undefined && <Banner tone="danger">{fault}</Banner>}
      </div>
    </Dialog>
  );
}
