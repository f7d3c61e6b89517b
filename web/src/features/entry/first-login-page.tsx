import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { usePasswordStrength } from "../../api/password-strength.ts";
import { errorAt, errorBeside, isRefusal } from "../../api/sign-in.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { EntryPage } from "../../ui/entry-page.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { NewPassword } from "../../ui/new-password.tsx";
import { DeadLink } from "./dead-link.tsx";
import { useContinueAfterLogIn } from "./use-continue-after-log-in.ts";
import { useLinkToken } from "./use-link-token.ts";

const TEXTS = texts.entry;

const FIELDS = ["email", "name", "password"];

/** The operator's first log-in, by the link that the service printed when it started. */
export function FirstLoginPage() {
  const token = useLinkToken();
  const continueAfterLogIn = useContinueAfterLogIn();
  const [draft, setDraft] = useState({ email: "", name: "", password: "" });
  const { email, name, password } = draft;
  const strength = usePasswordStrength(password, { email, name });
  const send = useMutation({
    mutationFn: () => api.call("POST /v1/auth/first-login", { body: { token, ...draft } }),
    onSuccess: continueAfterLogIn,
  });
  if (token === "" || isRefusal(send.error, "not_found")) {
    return (
      <DeadLink to="/log-in" label={TEXTS.logIn}>
        {TEXTS.firstLogin.dead}
      </DeadLink>
    );
  }
  const change = (field: keyof typeof draft) => (event: { target: { value: string } }) =>
    setDraft({ ...draft, [field]: event.target.value });
  const message = errorBeside(send.error, FIELDS);
  return (
    <EntryPage title={TEXTS.firstLogin.title} description={TEXTS.firstLogin.description}>
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
        <NewPassword
          value={password}
          onValueChange={(value) => setDraft({ ...draft, password: value })}
          strength={strength}
          error={errorAt(send.error, "password")}
        />
        <Button type="submit" variant="primary" size="lg" loading={send.isPending}>
          {TEXTS.firstLogin.submit}
        </Button>
      </form>
    </EntryPage>
  );
}
