import { useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { useSession } from "../../api/session.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { FormValue, TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
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
  const form = useApiForm({
    values: { email: "", role: "developer" as Role },
    send: ({ email, role }) => api.call("POST /v1/invitations", { body: { email: email.trim(), role } }),
    onSent: async (sent) => {
      await readPeopleAnew(queries);
      if (sent.link !== undefined) return;
      onClose();
      toast({ title: TEXTS.sent(sent.email) });
    },
  });
  if (form.answer?.link !== undefined) {
    return <LinkDialog email={form.answer.email} link={form.answer.link} onClose={onClose} />;
  }
  return (
    <FormDialog
      form={form}
      title={TEXTS.title}
      description={features.mail ? TEXTS.mailed : TEXTS.notMailed}
      submitLabel={features.mail ? TEXTS.send : TEXTS.create}
      onClose={onClose}
    >
      <TextField
        form={form}
        name="email"
        label={texts.members.invitations.email}
        required
        type="email"
        maxLength={254}
        autoComplete="off"
      />
      <FormValue form={form} name="role">
        {({ value, onChange }) => (
          <RadioGroup
            label={texts.members.role}
            value={value}
            onValueChange={onChange}
            options={rolesGivenBy(account.role)}
          />
        )}
      </FormValue>
    </FormDialog>
  );
}
