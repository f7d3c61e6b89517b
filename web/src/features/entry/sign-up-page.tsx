import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { passkeyHindrance } from "../../api/passkeys.ts";
import { usePasswordStrength } from "../../api/password-strength.ts";
import { errorAt, errorBeside, signInFeaturesQuery } from "../../api/sign-in.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { EntryPage } from "../../ui/entry-page.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { NewPassword } from "../../ui/new-password.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";
import { SignUpSent } from "./sign-up-sent.tsx";

const FIELDS = ["email", "name", "password", "organisation"];

const TEXTS = texts.entry;

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
    <Sentence
      text={TEXTS.haveAccount}
      parts={{
        link: (
          <Link to="/log-in" className={TEXT_LINK}>
            {TEXTS.logIn}
          </Link>
        ),
      }}
    />
  );
  if (send.isSuccess) {
    return <SignUpSent sent={send.data.sent} email={email} hasPassword={!isWithout} footer={toLogIn} />;
  }
  if (features !== undefined && features.sign_up !== "open") {
    return (
      <EntryPage title={TEXTS.signUp} footer={toLogIn}>
        <p className="text-muted">
          {features.sign_up === "invited" ? TEXTS.signUpPage.invitedOnly : TEXTS.signUpPage.closed}
        </p>
      </EntryPage>
    );
  }
  const change = (field: keyof typeof draft) => (event: { target: { value: string } }) =>
    setDraft({ ...draft, [field]: event.target.value });
  const message = errorBeside(send.error, FIELDS);
  return (
    <EntryPage title={TEXTS.signUp} description={TEXTS.signUpPage.description} footer={toLogIn}>
      <form
        className="grid gap-4"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          send.mutate();
        }}
      >
        {message !== undefined && <Banner tone="danger">{message}</Banner>}
        <Field label={TEXTS.name} error={errorAt(send.error, "name")} required>
          <Input value={name} autoFocus autoComplete="name" maxLength={100} onChange={change("name")} />
        </Field>
        <Field label={TEXTS.email} error={errorAt(send.error, "email")} required>
          <Input type="email" value={email} autoComplete="username" maxLength={254} onChange={change("email")} />
        </Field>
        <Field label={TEXTS.signUpPage.organisation} optional error={errorAt(send.error, "organisation")}>
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
            label={TEXTS.signUpPage.usePasskey}
            description={TEXTS.signUpPage.usePasskeyHint}
            checked={isWithout}
            onCheckedChange={(checked) => setIsWithout(checked === true)}
          />
        )}
        <Button type="submit" variant="primary" size="lg" loading={send.isPending}>
          {TEXTS.signUpPage.submit}
        </Button>
      </form>
    </EntryPage>
  );
}
