import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Pause, Play, Trash2 } from "lucide-react";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Section } from "../../ui/section.tsx";
import { toast } from "../../ui/toast.tsx";
import { type OwnModel, ownModelsQuery } from "./provider-queries.ts";

const TEXTS = texts.providers.dangerSection;

/** Pausing and withdrawing. */
export function DangerSection({ model, name }: { readonly model: OwnModel; readonly name: string }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [isAsking, setIsAsking] = useState(false);
  const isPaused = model.state === "suspended";
  const pause = useMutation({
    mutationFn: () =>
      api.call("PATCH /v1/provider/models/{name}", {
        params: { name },
        body: { state: isPaused ? "active" : "suspended" },
      }),
    onSuccess: ({ state }) =>
      toast({
        title: state === "suspended" ? TEXTS.isPaused(model.name) : TEXTS.isBack(model.name),
        ...(state === "pending" ? { description: TEXTS.runItsCheckTo } : {}),
      }),
    onError: (error) => toast({ tone: "danger", title: error.message }),
    onSettled: () => queries.invalidateQueries({ queryKey: ownModelsQuery.queryKey }),
  });
  return (
    <Section title={TEXTS.dangerZone}>
      <div className="grid divide-y divide-line rounded-lg border border-danger bg-surface">
        {model.state !== "blocked" && (
          <Choice
            title={isPaused ? TEXTS.resumeThisModel : TEXTS.pauseThisModel}
            words={isPaused ? TEXTS.itIsListedAnd : TEXTS.itIsNeitherListed}
          >
            <Button
              icon={isPaused ? <Play aria-hidden="true" /> : <Pause aria-hidden="true" />}
              loading={pause.isPending}
              onClick={() => pause.mutate()}
            >
              {isPaused ? TEXTS.resume : TEXTS.pause}
            </Button>
          </Choice>
        )}
        <Choice title={TEXTS.withdrawThisModel} words={TEXTS.itIsGoneFor}>
          <Button variant="danger" icon={<Trash2 aria-hidden="true" />} onClick={() => setIsAsking(true)}>
            {TEXTS.withdraw}
          </Button>
        </Choice>
      </div>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setIsAsking}
        title={TEXTS.withdrawThisModel2}
        confirmLabel={TEXTS.withdraw}
        danger
        typeToConfirm={model.name}
        onConfirm={async () => {
          await api.call("DELETE /v1/provider/models/{name}", { params: { name } });
          await navigate({ to: "/providers" });
          await queries.invalidateQueries({ queryKey: ownModelsQuery.queryKey });
          toast({ title: TEXTS.isWithdrawn(model.name) });
        }}
      >
        {TEXTS.clientsCanNoLonger}
      </ConfirmDialog>
    </Section>
  );
}

function Choice(props: { title: string; words: string; children: React.ReactNode }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-4 p-4">
      <div className="min-w-0 max-w-prose">
        <h3 className="font-medium">{props.title}</h3>
        <p className="text-sm text-muted">{props.words}</p>
      </div>
      {props.children}
    </div>
  );
}
