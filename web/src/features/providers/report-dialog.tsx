import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ApiError } from "@trunkline/sdk";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { NumberInput } from "../../ui/number-input.tsx";
import { toast } from "../../ui/toast.tsx";
import { ownModelsQuery } from "./provider-queries.ts";

const TEXTS = texts.earnings.reportDialog;

const FORM_ID = "report-form";
const DAY_MS = 86_400_000;

/** Tells the service what a provider counted on one day. */
export function ReportDialog({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const queries = useQueryClient();
  const [day, setDay] = useState(() => new Date(Date.now() - DAY_MS).toISOString().slice(0, 10));
  const [requests, setRequests] = useState<number>();
  const [tokens, setTokens] = useState<number>();
  const report = useMutation({
    mutationFn: () =>
      api.call("POST /v1/provider/usage", {
        body: { model: name, day, usage: { requests: requests ?? 0, tokens_processed: tokens ?? 0 } },
      }),
    onSuccess: async (answer) => {
      await queries.invalidateQueries({ queryKey: ownModelsQuery.queryKey });
      const isFlagged = "flagged" in answer && answer.flagged;
      toast({
        tone: isFlagged ? "info" : "positive",
        title: TEXTS.yourCountIsTaken,
        description: isFlagged ? TEXTS.itIsTooFar : TEXTS.itIsBesideOurs,
      });
      onClose();
    },
  });
  const param = report.error instanceof ApiError ? report.error.param : undefined;
  const errorOn = (field: string) => (param === field ? report.error?.message : undefined);
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      size="sm"
      title={TEXTS.reportYourCount}
      description={TEXTS.ofOneDayOf}
      footer={
        <>
          <Button onClick={onClose}>{TEXTS.cancel}</Button>
          <Button
            type="submit"
            form={FORM_ID}
            variant="primary"
            loading={report.isPending}
            disabled={requests === undefined || tokens === undefined || day === ""}
          >
            {TEXTS.send}
          </Button>
        </>
      }
    >
      <form
        id={FORM_ID}
        noValidate
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          report.mutate();
        }}
      >
        {report.isError && <Banner tone="danger">{report.error.message}</Banner>}
        <Field label={TEXTS.day} required error={errorOn("day")}>
          <Input type="date" value={day} onChange={(event) => setDay(event.target.value)} />
        </Field>
        <Field label={TEXTS.requests} required error={errorOn("usage.requests")}>
          <NumberInput value={requests} onValueChange={setRequests} />
        </Field>
        <Field label={TEXTS.tokensInAndOut} required error={errorOn("usage.tokens_processed")}>
          <NumberInput value={tokens} onValueChange={setTokens} />
        </Field>
      </form>
    </Dialog>
  );
}
