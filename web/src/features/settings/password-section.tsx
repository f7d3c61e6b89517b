import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { usePasswordStrength } from "../../api/password-strength.ts";
import { useSession } from "../../api/session.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { NewPassword } from "../../ui/new-password.tsx";
import { Section } from "../../ui/section.tsx";
import { toast } from "../../ui/toast.tsx";
import { isDeclined, useProof } from "./use-proof.tsx";

const TEXTS = texts.settings.security;

/** The password, which may be missing. */
export function PasswordSection() {
  const { person } = useSession();
  const [isOpen, setIsOpen] = useState(false);
  const label = person.has_password ? TEXTS.changePassword : TEXTS.choosePassword;
  return (
    <Section
      title={TEXTS.password}
      description={person.has_password ? TEXTS.passwordText : TEXTS.noPasswordText}
      actions={<Button onClick={() => setIsOpen(true)}>{label}</Button>}
    >
      {isOpen && <PasswordDialog title={label} onClose={() => setIsOpen(false)} />}
    </Section>
  );
}

function PasswordDialog({ title, onClose }: { readonly title: string; readonly onClose: () => void }) {
  const { person } = useSession();
  const queries = useQueryClient();
  const { guard, dialog } = useProof();
  const form = useApiForm({
    values: { password: "" },
    send: ({ password }) =>
      guard((current) =>
        api.call("POST /v1/me/password", { body: { password, ...(current === undefined ? {} : { current }) } }),
      ),
    onSent: async () => {
      await queries.invalidateQueries({ queryKey: ["session"] });
      await queries.invalidateQueries({ queryKey: ["me"] });
      toast({ title: TEXTS.passwordSet, description: TEXTS.passwordSetText });
      onClose();
    },
    isSilent: isDeclined,
  });
  const strength = usePasswordStrength(form.watch("password"), { email: person.email, name: person.name });
  return (
    <>
      <FormDialog form={form} size="sm" title={title} submitLabel={TEXTS.setPassword} onClose={onClose}>
        <NewPassword form={form} name="password" label={TEXTS.newPassword} strength={strength} />
      </FormDialog>
      {dialog}
    </>
  );
}
