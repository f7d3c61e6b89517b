import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Pause, Play, Trash2 } from "lucide-react";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Section } from "../../ui/section.tsx";
import { toast } from "../../ui/toast.tsx";
import { type OwnModel, ownModelsQuery } from "./provider-queries.ts";

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
        title: state === "suspended" ? `${model.name} is paused` : `${model.name} is back`,
        ...(state === "pending" ? { description: "Run its check to have it routed again." } : {}),
      }),
    onError: (error) => toast({ tone: "danger", title: error.message }),
    onSettled: () => queries.invalidateQueries({ queryKey: ownModelsQuery.queryKey }),
  });
  return (
    <Section title="Danger zone">
      <div className="grid divide-y divide-line rounded-lg border border-danger bg-surface">
        {model.state !== "blocked" && (
          <Choice
            title={isPaused ? "Resume this model" : "Pause this model"}
            words={
              isPaused
                ? "It is listed and routed again. Unless it is the operator's, it has to pass its check first."
                : "It is neither listed nor routed until you resume it. Requests that run are finished."
            }
          >
            <Button
              icon={isPaused ? <Play aria-hidden="true" /> : <Pause aria-hidden="true" />}
              loading={pause.isPending}
              onClick={() => pause.mutate()}
            >
              {isPaused ? "Resume" : "Pause"}
            </Button>
          </Choice>
        )}
        <Choice
          title="Withdraw this model"
          words="It is gone for good. What was counted and earned stays on record, and the name may be registered again."
        >
          <Button variant="danger" icon={<Trash2 aria-hidden="true" />} onClick={() => setIsAsking(true)}>
            Withdraw
          </Button>
        </Choice>
      </div>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setIsAsking}
        title="Withdraw this model?"
        confirmLabel="Withdraw"
        danger
        typeToConfirm={model.name}
        onConfirm={async () => {
          await api.call("DELETE /v1/provider/models/{name}", { params: { name } });
          await navigate({ to: "/providers" });
          await queries.invalidateQueries({ queryKey: ownModelsQuery.queryKey });
          toast({ title: `${model.name} is withdrawn` });
        }}
      >
        Clients can no longer reach it. Requests that run are finished.
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
