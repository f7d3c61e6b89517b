import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { usePasswordStrength } from "../../api/password-strength.ts";
import { useSession } from "../../api/session.ts";
import { errorAt } from "../../api/sign-in.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { NewPassword } from "../../ui/new-password.tsx";
import { Section } from "../../ui/section.tsx";
import { toast } from "../../ui/toast.tsx";
import { useProof, wordsFor } from "./use-proof.tsx";

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
  const [password, setPassword] = useState("");
  const strength = usePasswordStrength(password, { email: person.email, name: person.name });
  const change = useMutation({
    mutationFn: () =>
      guard((current) =>
        api.call("POST /v1/me/password", {
          body: { password, ...(current === undefined ? {} : { current }) },
        }),
      ),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["session"] });
      await queries.invalidateQueries({ queryKey: ["me"] });
      toast({ title: TEXTS.passwordSet, description: TEXTS.passwordSetText });
      onClose();
    },
  });
  const message = wordsFor(change.error, ["password"]);
  return (
    <>
      <Dialog
        open
        size="sm"
        onOpenChange={onClose}
        title={title}
        footer={
          <>
            <Button onClick={onClose}>{texts.common.cancel}</Button>
            <Button type="submit" form="new-password" variant="primary" loading={change.isPending}>
              {TEXTS.setPassword}
            </Button>
          </>
        }
      >
        <form
          id="new-password"
          className="grid gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            change.mutate();
          }}
        >
          {message !== undefined && <Banner tone="danger">{message}</Banner>}
          <NewPassword
            label={TEXTS.newPassword}
            value={password}
            onValueChange={setPassword}
            strength={strength}
            error={errorAt(change.error, "password")}
          />
        </form>
      </Dialog>
      {dialog}
    </>
  );
}
