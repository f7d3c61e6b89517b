import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Controller } from "react-hook-form";
import { api } from "../../api/client.ts";
import { passkeyHindrance } from "../../api/passkeys.ts";
import { usePasswordStrength } from "../../api/password-strength.ts";
import { signInFeaturesQuery } from "../../api/sign-in.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { EntryPage } from "../../ui/entry-page.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { NewPassword } from "../../ui/new-password.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";
import { SignUpSent } from "./sign-up-sent.tsx";

const TEXTS = texts.entry;

/** Sign up. Nothing is made before the link in the mail is opened. */
export function SignUpPage() {
  const { data: features } = useQuery(signInFeaturesQuery);
  const form = useApiForm({
    values: { email: "", name: "", password: "", organisation: "", isWithout: false },
    send: ({ email, name, password, organisation, isWithout: isPasskey }) =>
      api.call("POST /v1/auth/sign-up", {
        body: {
          email,
          name,
          ...(isPasskey ? {} : { password }),
          ...(organisation.trim() === "" ? {} : { organisation }),
        },
      }),
    onSent: () => {
      form.setValue("password", "");
    },
  });
  const { email, name, password, isWithout } = form.watch();
  const strength = usePasswordStrength(isWithout ? "" : password, { email, name });
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
  if (form.answer !== undefined) {
    return <SignUpSent sent={form.answer.sent} email={email} hasPassword={!isWithout} footer={toLogIn} />;
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
  return (
    <EntryPage title={TEXTS.signUp} description={TEXTS.signUpPage.description} footer={toLogIn}>
      <Form form={form}>
        <TextField form={form} name="name" label={TEXTS.name} required autoFocus autoComplete="name" maxLength={100} />
        <TextField
          form={form}
          name="email"
          label={TEXTS.email}
          required
          type="email"
          autoComplete="username"
          maxLength={254}
        />
        <TextField
          form={form}
          name="organisation"
          label={TEXTS.signUpPage.organisation}
          optional
          autoComplete="organization"
          maxLength={100}
        />
        {!isWithout && <NewPassword form={form} name="password" strength={strength} />}
        {passkeyHindrance() === undefined && (
          <Controller
            control={form.control}
            name="isWithout"
            render={({ field: { value, onChange } }) => (
              <Checkbox
                label={TEXTS.signUpPage.usePasskey}
                description={TEXTS.signUpPage.usePasskeyHint}
                checked={value}
                onCheckedChange={onChange}
              />
            )}
          />
        )}
        <Button type="submit" variant="primary" size="lg" loading={form.isSending}>
          {TEXTS.signUpPage.submit}
        </Button>
      </Form>
    </EntryPage>
  );
}
