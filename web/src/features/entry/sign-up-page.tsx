import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { passkeyHindrance } from "../../api/passkeys.ts";
import { usePasswordStrength } from "../../api/password-strength.ts";
import { errorAt, errorBeside, signInFeaturesQuery } from "../../api/sign-in.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { EntryPage } from "../../ui/entry-page.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { NewPassword } from "../../ui/new-password.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";
import { EmailSent } from "./email-sent.tsx";

const FIELDS = ["email", "name", "password", "organisation"];

/** Sign up. Nothing is made before the link in the mail is opened. */
export function SignUpPage() {
  const { data: features } = useQuery(signInFeaturesQuery);
  const [draft, setDraft] = useState({ email: "", name: "", password: "", organisation: "" });
  const [isWithout, setIsWithout] = useState(false);
  const { email, name, password, organisation } = draft;
  const strength = usePasswordStrength(isWithout ? "" : password, { email, name });
  const send = useMutation({
    mutationFn: () =>
      api.call("POST /v1/auth/sign-up", {
        body: {
          email,
          name,
          ...(isWithout ? {} : { password }),
          ...(organisation.trim() === "" ? {} : { organisation }),
        },
      }),
    onSuccess: () => setDraft({ ...draft, password: "" }),
  });
  const toLogIn = (
    <>
      Have an account?{" "}
      <Link to="/log-in" className={TEXT_LINK}>
        Log in
      </Link>
    </>
  );
  if (send.isSuccess) {
    return (
      <EmailSent sent={send.data.sent} footer={toLogIn}>
        <p>
          A link for <strong className="wrap-anywhere text-text">{email}</strong> confirms the address. Open it in this
          browser, within a day.
        </p>
      </EmailSent>
    );
  }
  if (features !== undefined && features.sign_up !== "open") {
    return (
      <EntryPage title="Sign up" footer={toLogIn}>
        <p className="text-muted">
          {features.sign_up === "invited"
            ? "This service is by invitation. Ask somebody who is in to invite you."
            : "This service takes in nobody new."}
        </p>
      </EntryPage>
    );
  }
  const change = (field: keyof typeof draft) => (event: { target: { value: string } }) =>
    setDraft({ ...draft, [field]: event.target.value });
  const message = errorBeside(send.error, FIELDS);
  return (
    <EntryPage title="Sign up" description="One account for every model." footer={toLogIn}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          send.mutate();
        }}
      >
        {message !== undefined && <Banner tone="danger">{message}</Banner>}
        <Field label="Name" error={errorAt(send.error, "name")} required>
          <Input value={name} autoFocus autoComplete="name" maxLength={100} onChange={change("name")} />
        </Field>
        <Field label="E-mail address" error={errorAt(send.error, "email")} required>
          <Input type="email" value={email} autoComplete="username" maxLength={254} onChange={change("email")} />
        </Field>
        <Field label="Organisation" optional error={errorAt(send.error, "organisation")}>
          <Input value={organisation} autoComplete="organization" maxLength={100} onChange={change("organisation")} />
        </Field>
        {!isWithout && (
          <NewPassword
            value={password}
            onValueChange={(value) => setDraft({ ...draft, password: value })}
            strength={strength}
            error={errorAt(send.error, "password")}
          />
        )}
        {passkeyHindrance() === undefined && (
          <Checkbox
            label="Use a passkey instead of a password"
            description="You add it once the address is confirmed."
            checked={isWithout}
            onCheckedChange={(checked) => setIsWithout(checked === true)}
          />
        )}
        <Button type="submit" variant="primary" size="lg" loading={send.isPending}>
          Sign up
        </Button>
      </form>
    </EntryPage>
  );
}
