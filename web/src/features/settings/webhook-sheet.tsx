import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { KeyRound, Pencil, Send, Trash2 } from "lucide-react";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { usePermission } from "../../api/session.ts";
import { errorBeside } from "../../api/sign-in.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { formatMs } from "../../ui/format.ts";
import { KeyValue } from "../../ui/key-value.tsx";
import { Sheet } from "../../ui/sheet.tsx";
import { Switch } from "../../ui/switch.tsx";
import { Time } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";
import { RotateWebhook } from "./rotate-webhook.tsx";
import { WebhookDeliveries } from "./webhook-deliveries.tsx";
import { WebhookForm } from "./webhook-form.tsx";
import { deliveriesQuery, type Webhook, webhooksQuery } from "./webhook-queries.ts";
import { hostOf } from "./webhook-words.ts";

interface WebhookSheetProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

/** One webhook: how it does, what can be done with it, and what became of its events. */
export function WebhookSheet({ webhook, onClose }: WebhookSheetProps) {
  const queries = useQueryClient();
  const mayChange = usePermission("webhooks.change");
  const [asked, setAsked] = useState<"edit" | "rotate" | "delete">();
  const { id } = webhook;
  const readAnew = () => queries.invalidateQueries({ queryKey: webhooksQuery.queryKey });
  const enable = useMutation({
    mutationFn: (enabled: boolean) => api.call("PATCH /v1/webhooks/{id}", { params: { id }, body: { enabled } }),
    onSuccess: readAnew,
    onError: (error) => toast({ tone: "danger", title: errorBeside(error, []) ?? "It was not changed." }),
  });
  const test = useMutation({
    mutationFn: () => api.call("POST /v1/webhooks/{id}/test", { params: { id } }),
    onSettled: () => queries.invalidateQueries({ queryKey: deliveriesQuery(id).queryKey }),
  });
  return (
    <Sheet
      open
      onOpenChange={onClose}
      width="xl"
      title={webhook.description === "" ? hostOf(webhook.url) : webhook.description}
    >
      <div className="grid gap-6">
        {webhook.disabled_reason !== null && (
          <Banner tone="danger" title="The service switched it off">
            {webhook.disabled_reason} Switch it on again once it can be reached.
          </Banner>
        )}
        {webhook.enabled && webhook.failing_since !== null && (
          <Banner tone="warning" title="Nothing could be delivered lately">
            It has failed since <Time at={webhook.failing_since} form="date-time" />. What waits is tried again.
          </Banner>
        )}
        <Switch
          label="Send events"
          description="What waits while it is off is given up."
          checked={enable.isPending ? enable.variables : webhook.enabled}
          disabled={!mayChange || enable.isPending}
          onCheckedChange={(isOn) => enable.mutate(isOn)}
        />
        <KeyValue
          items={[
            { label: "Address", value: <code className="text-sm">{webhook.url}</code> },
            {
              label: "Events",
              value: webhook.events === null ? "All, also those that come later" : webhook.events.join(", "),
            },
            { label: "Added", value: <Time at={webhook.created_at} form="date-time" /> },
            {
              label: "Old secret signs until",
              value:
                webhook.old_secret_ends_at === null ? undefined : (
                  <Time at={webhook.old_secret_ends_at} form="date-time" />
                ),
            },
          ]}
        />
        {mayChange && (
          <div className="flex flex-wrap gap-2">
            <Button
              variant="primary"
              icon={<Send aria-hidden="true" />}
              loading={test.isPending}
              onClick={() => test.mutate()}
            >
              Send test event
            </Button>
            <Button icon={<Pencil aria-hidden="true" />} onClick={() => setAsked("edit")}>
              Edit
            </Button>
            <Button icon={<KeyRound aria-hidden="true" />} onClick={() => setAsked("rotate")}>
              New secret
            </Button>
            <Button icon={<Trash2 aria-hidden="true" />} onClick={() => setAsked("delete")}>
              Delete
            </Button>
          </div>
        )}
        <WebhookTrial trial={test.data} error={test.error} />
        <WebhookDeliveries id={id} />
      </div>
      {asked === "edit" && <WebhookForm webhook={webhook} onClose={() => setAsked(undefined)} />}
      {asked === "rotate" && <RotateWebhook id={id} onClose={() => setAsked(undefined)} />}
      <ConfirmDialog
        open={asked === "delete"}
        onOpenChange={() => setAsked(undefined)}
        title="Delete this webhook?"
        confirmLabel="Delete webhook"
        danger
        onConfirm={async () => {
          await api.call("DELETE /v1/webhooks/{id}", { params: { id } });
          onClose();
          await readAnew();
          toast({ title: "The webhook is deleted." });
        }}
      >
        <span className="wrap-anywhere">{hostOf(webhook.url)}</span> is told nothing any more. Its deliveries and what
        waits for it go with it.
      </ConfirmDialog>
    </Sheet>
  );
}

interface WebhookTrialProps {
  readonly trial: AnswerOf<"POST /v1/webhooks/{id}/test"> | undefined;
  readonly error: unknown;
}

/** What the endpoint said to a test event. */
function WebhookTrial({ trial, error }: WebhookTrialProps) {
  const fault = errorBeside(error, []);
  if (fault !== undefined) return <Banner tone="danger">{fault}</Banner>;
  if (trial === undefined) return null;
  return (
    <Banner
      tone={trial.delivered ? "positive" : "danger"}
      title={trial.delivered ? "The test event was delivered" : "The test event was not delivered"}
    >
      <p>
        {trial.status === null ? (trial.error ?? "No answer came.") : `It answered ${trial.status}`}
        {trial.status !== null && ` within ${formatMs(trial.latency_ms)}.`}
      </p>
      {trial.response !== "" && (
        <pre tabIndex={0} className="mt-2 max-h-32 overflow-auto text-xs whitespace-pre-wrap wrap-anywhere">
          {trial.response}
        </pre>
      )}
    </Banner>
  );
}
