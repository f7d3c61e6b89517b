import { useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { NumberField, TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { toast } from "../../ui/toast.tsx";
import { ownModelsQuery } from "./provider-queries.ts";

const TEXTS = texts.earnings.reportDialog;

const DAY_MS = 86_400_000;

/** Tells the service what a provider counted on one day. */
export function ReportDialog({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const queries = useQueryClient();
  const form = useApiForm({
    values: {
      day: new Date(Date.now() - DAY_MS).toISOString().slice(0, 10),
      requests: undefined as number | undefined,
      tokens: undefined as number | undefined,
    },
    send: ({ day, requests = 0, tokens = 0 }) =>
      api.call("POST /v1/provider/usage", {
        body: { model: name, day, usage: { requests, tokens_processed: tokens } },
      }),
    onSent: async (answer) => {
      await queries.invalidateQueries({ queryKey: ownModelsQuery.queryKey });
      const isFlagged = "flagged" in answer && answer.flagged;
      toast({
        tone: isFlagged ? "info" : "positive",
        title: TEXTS.yourCountIsTaken,
        description: isFlagged ? TEXTS.itIsTooFar : TEXTS.itIsBesideOurs,
      });
      onClose();
    },
    params: { "usage.requests": "requests", "usage.tokens_processed": "tokens" },
  });
  return (
    <FormDialog
      form={form}
      size="sm"
      title={TEXTS.reportYourCount}
      description={TEXTS.ofOneDayOf}
      submitLabel={TEXTS.send}
      onClose={onClose}
    >
      <TextField form={form} name="day" label={TEXTS.day} required type="date" />
      <NumberField form={form} name="requests" label={TEXTS.requests} required />
      <NumberField form={form} name="tokens" label={TEXTS.tokensInAndOut} required />
    </FormDialog>
  );
}
