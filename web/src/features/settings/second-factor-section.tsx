import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { useSession } from "../../api/session.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Section } from "../../ui/section.tsx";
import { toast } from "../../ui/toast.tsx";
import { RecoveryCodes } from "./recovery-codes.tsx";
import { SetUpDialog } from "./set-up-dialog.tsx";
import { useProof, wordsFor } from "./use-proof.tsx";

/** The second factor: off, or on with its recovery codes. */
export function SecondFactorSection() {
  const { person } = useSession();
  const [isSettingUp, setIsSettingUp] = useState(false);
  return (
    <Section
      title={
        <span className="flex items-center gap-2">
          Second factor
          <Badge tone={person.has_totp ? "positive" : "neutral"} dot>
            {person.has_totp ? "On" : "Off"}
          </Badge>
        </span>
      }
      description="After the password, a code from an app is asked for."
      actions={
        person.has_totp ? <WhenOn /> : <Button onClick={() => setIsSettingUp(true)}>Set up the second factor</Button>
      }
    >
      {isSettingUp && <SetUpDialog onClose={() => setIsSettingUp(false)} />}
    </Section>
  );
}

function WhenOn() {
  const queries = useQueryClient();
  const { guard, dialog } = useProof();
  const [isRemoving, setIsRemoving] = useState(false);
  const renew = useMutation({
    mutationFn: () =>
      guard((current) =>
        api.call("POST /v1/me/totp/recovery-codes", { body: current === undefined ? {} : { current } }),
      ),
    onError: (error) => {
      const title = wordsFor(error);
      if (title !== undefined) toast({ tone: "danger", title });
    },
  });
  const remove = () =>
    guard((current) => api.call("DELETE /v1/me/totp", { body: current === undefined ? {} : { current } })).then(
      async () => {
        toast({ title: "The second factor is removed." });
        await queries.invalidateQueries({ queryKey: ["session"] });
      },
    );
  return (
    <>
      <Button loading={renew.isPending} onClick={() => renew.mutate()}>
        New recovery codes
      </Button>
      <Button onClick={() => setIsRemoving(true)}>Remove</Button>
      <ConfirmDialog
        open={isRemoving}
        onOpenChange={setIsRemoving}
        title="Remove the second factor?"
        confirmLabel="Remove it"
        danger
        onConfirm={remove}
      >
        From then on your password alone logs you in. The recovery codes end too.
      </ConfirmDialog>
      <Dialog
        open={renew.data !== undefined}
        onOpenChange={() => renew.reset()}
        sticky
        title="New recovery codes"
        description="The old ones work no more."
        footer={
          <Button variant="primary" onClick={() => renew.reset()}>
            I have kept them
          </Button>
        }
      >
        <RecoveryCodes codes={renew.data?.recovery_codes ?? []} />
      </Dialog>
      {dialog}
    </>
  );
}
