import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { useSession } from "../../api/session.ts";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { Section } from "../../ui/section.tsx";
import { toast } from "../../ui/toast.tsx";
import { RecoveryCodes } from "./recovery-codes.tsx";
import { useProof, wordsFor } from "./use-proof.tsx";

const TEXTS = texts.settings.security;

const SetUpDialog = lazyPart(() => import("./set-up-dialog.tsx").then((module) => module.SetUpDialog));

/** The second factor: off, or on with its recovery codes. */
export function SecondFactorSection() {
  const { person } = useSession();
  const [isSettingUp, setIsSettingUp] = useState(false);
  return (
    <Section
      title={
        <span className="flex items-center gap-2">
          {TEXTS.twoFactor}
          <Badge tone={person.has_totp ? "positive" : "neutral"} dot>
            {person.has_totp ? TEXTS.on : TEXTS.off}
          </Badge>
        </span>
      }
      description={TEXTS.twoFactorText}
      actions={person.has_totp ? <WhenOn /> : <Button onClick={() => setIsSettingUp(true)}>{TEXTS.setUp}</Button>}
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
        toast({ title: TEXTS.twoFactorRemoved });
        await queries.invalidateQueries({ queryKey: ["session"] });
      },
    );
  return (
    <>
      <Button loading={renew.isPending} onClick={() => renew.mutate()}>
        {TEXTS.newCodes}
      </Button>
      <Button onClick={() => setIsRemoving(true)}>{TEXTS.removeTwoFactor}</Button>
      <ConfirmDialog
        open={isRemoving}
        onOpenChange={setIsRemoving}
        title={TEXTS.removeTwoFactorTitle}
        confirmLabel={TEXTS.removeTwoFactor}
        danger
        onConfirm={remove}
      >
        {TEXTS.removeTwoFactorText}
      </ConfirmDialog>
      <Dialog
        open={renew.data !== undefined}
        onOpenChange={() => renew.reset()}
        sticky
        title={TEXTS.newCodes}
        description={TEXTS.newCodesText}
        footer={
          <Button variant="primary" onClick={() => renew.reset()}>
            {TEXTS.kept}
          </Button>
        }
      >
        <RecoveryCodes codes={renew.data?.recovery_codes ?? []} />
      </Dialog>
      {dialog}
    </>
  );
}
