import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api } from "../../api/client.ts";
import { useSession } from "../../api/session.ts";
import { errorAt, errorBeside } from "../../api/sign-in.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { RadioGroup } from "../../ui/radio-group.tsx";
import { toast } from "../../ui/toast.tsx";
import { LinkDialog } from "./link-dialog.tsx";
import { readPeopleAnew } from "./member-queries.ts";
import { type Role, rolesGivenBy } from "./roles.ts";

const TEXTS = texts.members.inviteForm;

/** The invitation form. If no mail is sent, it ends with the link to pass on. */
export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const { account, features } = useSession();
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("developer");
  const invite = useMutation({
    mutationFn: () => api.call("POST /v1/invitations", { body: { email: email.trim(), role } }),
    onSuccess: async (sent) => {
      await readPeopleAnew(queries);
      if (sent.link !== undefined) return;
      onClose();
      toast({ title: TEXTS.sent(sent.email) });
    },
  });
  const fault = errorBeside(invite.error, ["email"]);
  if (invite.data?.link !== undefined) {
    return <LinkDialog email={invite.data.email} link={invite.data.link} onClose={onClose} />;
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    if (email.trim() !== "" && !invite.isPending) invite.mutate();
  }

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={TEXTS.title}
      description={features.mail ? TEXTS.mailed : TEXTS.notMailed}
      footer={
        <>
          <Button onClick={onClose}>{texts.common.cancel}</Button>
          <Button
            type="submit"
            form="invite"
            variant="primary"
            loading={invite.isPending}
            disabled={email.trim() === ""}
          >
            {features.mail ? TEXTS.send : TEXTS.create}
          </Button>
        </>
      }
    >
      <form id="invite" className="grid gap-4" onSubmit={submit} noValidate>
        <Field label={texts.members.invitations.email} error={errorAt(invite.error, "email")}>
          <Input
            type="email"
            value={email}
            maxLength={254}
            autoComplete="off"
            onChange={(event) => setEmail(event.target.value)}
          />
        </Field>
        <RadioGroup
          label={texts.members.role}
          value={role}
          onValueChange={setRole}
          options={rolesGivenBy(account.role)}
        />
        {fault !== undefined && <Banner tone="danger">{fault}</Banner>}
      </form>
    </Dialog>
  );
}
