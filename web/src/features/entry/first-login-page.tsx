import { api } from "../../api/client.ts";
import { usePasswordStrength } from "../../api/password-strength.ts";
import { isRefusal } from "../../api/sign-in.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { EntryPage } from "../../ui/entry-page.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { NewPassword } from "../../ui/new-password.tsx";
import { DeadLink } from "./dead-link.tsx";
import { useContinueAfterLogIn } from "./use-continue-after-log-in.ts";
import { useLinkToken } from "./use-link-token.ts";

const TEXTS = texts.entry;

/** The operator's first log-in, by the link that the service printed when it started. */
export function FirstLoginPage() {
  const token = useLinkToken();
  const continueAfterLogIn = useContinueAfterLogIn();
  const form = useApiForm({
    values: { email: "", name: "", password: "" },
    send: (values) => api.call("POST /v1/auth/first-login", { body: { token, ...values } }),
    onSent: continueAfterLogIn,
  });
  const { password, ...owner } = form.watch();
  const strength = usePasswordStrength(password, owner);
  if (token === "" || isRefusal(form.error, "not_found")) {
    return (
      <DeadLink to="/log-in" label={TEXTS.logIn}>
        {TEXTS.firstLogin.dead}
      </DeadLink>
    );
  }
  return (
    <EntryPage title={TEXTS.firstLogin.title} description={TEXTS.firstLogin.description}>
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
        <NewPassword form={form} name="password" strength={strength} />
        <Button type="submit" variant="primary" size="lg" loading={form.isSending}>
          {TEXTS.firstLogin.submit}
        </Button>
      </Form>
    </EntryPage>
  );
}
