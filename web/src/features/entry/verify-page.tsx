import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { makePasskey, PasskeyDeclined, passkeyHindrance } from "../../api/passkeys.ts";
import { usePasswordStrength } from "../../api/password-strength.ts";
import { errorAt, errorBeside, isRefusal } from "../../api/sign-in.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { EntryPage } from "../../ui/entry-page.tsx";
import { NewPassword } from "../../ui/new-password.tsx";
import { DeadLink } from "./dead-link.tsx";
import { useContinueAfterLogIn } from "./use-continue-after-log-in.ts";
import { useLinkToken } from "./use-link-token.ts";

/** Confirms an address, at a click: programs that look into mails open links too, and must not use this one up. */
export function VerifyPage() {
  const token = useLinkToken();
  const continueAfterLogIn = useContinueAfterLogIn();
  const verify = useMutation({
    mutationFn: () => api.call("POST /v1/auth/verify", { body: { token } }),
    onSuccess: ({ done, has_password }) => {
      if (done === "sign_up" && has_password) continueAfterLogIn();
    },
  });
  if (token === "" || isRefusal(verify.error, "not_found")) {
    return (
      <DeadLink to="/log-in" label="Log in">
        If you confirmed the address before, just log in.
      </DeadLink>
    );
  }
  if (verify.data?.done === "email") {
    return (
      <EntryPage title="Address confirmed" description="From now on you log in with it.">
        <Link to="/" className={buttonClass("primary", "lg")}>
          To the dashboard
        </Link>
      </EntryPage>
    );
  }
  if (verify.data?.done === "sign_up" && !verify.data.has_password) return <WayIn onDone={continueAfterLogIn} />;
  const message = errorBeside(verify.error, []);
  return (
    <EntryPage title="Confirm your address" description="Then it is yours here.">
      {message !== undefined && <Banner tone="danger">{message}</Banner>}
      <Button
        variant="primary"
        size="lg"
        autoFocus
        loading={verify.isPending || verify.isSuccess}
        onClick={() => verify.mutate()}
      >
        Confirm
      </Button>
    </EntryPage>
  );
}

/** A person without a password chooses one, or a passkey: they must be able to log in again. */
function WayIn({ onDone }: { readonly onDone: () => void }) {
  const [password, setPassword] = useState("");
  const strength = usePasswordStrength(password, {});
  const choose = useMutation({
    mutationFn: () => api.call("POST /v1/me/password", { body: { password } }),
    onSuccess: onDone,
  });
  const add = useMutation({ mutationFn: () => makePasskey("My passkey", undefined), onSuccess: onDone });
  const message = errorBeside(choose.error, ["password"]) ?? errorBeside(add.error, []);
  return (
    <EntryPage
      title="How will you log in?"
      description="Your account is open. Add a passkey, or choose a password in this browser."
    >
      {message !== undefined && (
        <Banner tone={add.error instanceof PasskeyDeclined ? "info" : "danger"}>{message}</Banner>
      )}
      {passkeyHindrance() === undefined && (
        <Button variant="primary" size="lg" loading={add.isPending} onClick={() => add.mutate()}>
          Add a passkey
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
          Set the password
        </Button>
      </form>
    </EntryPage>
  );
}
