import { useState } from "react";
import { api } from "../../api/client.ts";
import { usePasswordStrength } from "../../api/password-strength.ts";
import { isRefusal } from "../../api/sign-in.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { EntryPage } from "../../ui/entry-page.tsx";
import { Form } from "../../ui/form.tsx";
import { NewPassword } from "../../ui/new-password.tsx";
import { DeadLink } from "./dead-link.tsx";
import { SecondFactorStep } from "./second-factor-step.tsx";
import { useContinueAfterLogIn } from "./use-continue-after-log-in.ts";
import { useLinkToken } from "./use-link-token.ts";

const TEXTS = texts.entry;

/** A new password, by the link from the mail. A second factor is still asked for. */
export function ResetPage() {
  const token = useLinkToken();
  const continueAfterLogIn = useContinueAfterLogIn();
  const form = useApiForm({
    values: { password: "" },
    send: ({ password }) => api.call("POST /v1/auth/reset", { body: { token, password } }),
    onSent: (entry) => {
      form.reset();
      if (!entry.second_factor) continueAfterLogIn();
    },
  });
  const strength = usePasswordStrength(form.watch("password"), {});
  const [isOver, setIsOver] = useState(false);
  const ticket = form.answer?.ticket;
  if (token === "" || isOver || isRefusal(form.error, "not_found")) {
    return isOver ? (
      <DeadLink to="/log-in" label={TEXTS.logIn}>
        {TEXTS.reset.done}
      </DeadLink>
    ) : (
      <DeadLink to="/forgot" label={TEXTS.reset.newLink}>
        {TEXTS.reset.dead}
      </DeadLink>
    );
  }
  if (ticket !== undefined)
    return <SecondFactorStep ticket={ticket} onIn={continueAfterLogIn} onOver={() => setIsOver(true)} />;
  return (
    <EntryPage title={TEXTS.reset.title} description={TEXTS.reset.description}>
      <Form form={form}>
        <NewPassword form={form} name="password" label={TEXTS.reset.label} strength={strength} />
        <Button type="submit" variant="primary" size="lg" loading={form.isSending}>
          {TEXTS.reset.submit}
        </Button>
      </Form>
    </EntryPage>
  );
}
