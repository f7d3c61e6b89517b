import { useMutation } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { makePasskey, PasskeyDeclined, passkeyHindrance } from "../../api/passkeys.ts";
import { usePasswordStrength } from "../../api/password-strength.ts";
import { errorBeside } from "../../api/sign-in.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { EntryPage } from "../../ui/entry-page.tsx";
import { Form } from "../../ui/form.tsx";
import { NewPassword } from "../../ui/new-password.tsx";

const TEXTS = texts.entry.verify;

/** A person without a password chooses one, or a passkey: they must be able to log in again. */
export function WayIn({ onDone }: { readonly onDone: () => void }) {
  const form = useApiForm({
    values: { password: "" },
    send: (body) => api.call("POST /v1/me/password", { body }),
    onSent: onDone,
  });
  const strength = usePasswordStrength(form.watch("password"), {});
  const add = useMutation({ mutationFn: () => makePasskey(TEXTS.passkeyName, undefined), onSuccess: onDone });
  const message = errorBeside(add.error, []);
  return (
    <EntryPage title={TEXTS.wayIn} description={TEXTS.wayInText}>
      {message !== undefined && (
        <Banner tone={add.error instanceof PasskeyDeclined ? "info" : "danger"}>{message}</Banner>
      )}
      {passkeyHindrance() === undefined && (
        <Button variant="primary" size="lg" loading={add.isPending} onClick={() => add.mutate()}>
          {TEXTS.addPasskey}
        </Button>
      )}
      <Form form={form}>
        <NewPassword form={form} name="password" strength={strength} />
        <Button type="submit" size="lg" loading={form.isSending}>
          {TEXTS.setPassword}
        </Button>
      </Form>
    </EntryPage>
  );
}
