import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { makePasskey, PasskeyDeclined, passkeyHindrance } from "../../api/passkeys.ts";
import { usePasswordStrength } from "../../api/password-strength.ts";
import { errorAt, errorBeside } from "../../api/sign-in.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { EntryPage } from "../../ui/entry-page.tsx";
import { NewPassword } from "../../ui/new-password.tsx";

const TEXTS = texts.entry.verify;

/** A person without a password chooses one, or a passkey: they must be able to log in again. */
export function WayIn({ onDone }: { readonly onDone: () => void }) {
  const [password, setPassword] = useState("");
  const strength = usePasswordStrength(password, {});
  const choose = useMutation({
    mutationFn: () => api.call("POST /v1/me/password", { body: { password } }),
    onSuccess: onDone,
  });
  const add = useMutation({ mutationFn: () => makePasskey(TEXTS.passkeyName, undefined), onSuccess: onDone });
  const message = errorBeside(choose.error, ["password"]) ?? errorBeside(add.error, []);
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
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          choose.mutate();
        }}
      >
        <NewPassword
          value={password}
          onValueChange={setPassword}
          strength={strength}
          error={errorAt(choose.error, "password")}
        />
        <Button type="submit" size="lg" loading={choose.isPending}>
          {TEXTS.setPassword}
        </Button>
      </form>
    </EntryPage>
  );
}
