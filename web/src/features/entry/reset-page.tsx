import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { usePasswordStrength } from "../../api/password-strength.ts";
import { errorAt, errorBeside, isRefusal } from "../../api/sign-in.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { EntryPage } from "../../ui/entry-page.tsx";
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
  const [password, setPassword] = useState("");
  const strength = usePasswordStrength(password, {});
  const reset = useMutation({
    mutationFn: () => api.call("POST /v1/auth/reset", { body: { token, password } }),
    onSuccess: (entry) => {
      setPassword("");
      if (!entry.second_factor) continueAfterLogIn();
    },
  });
  const [isOver, setIsOver] = useState(false);
  const ticket = reset.data?.ticket;
  if (token === "" || isOver || isRefusal(reset.error, "not_found")) {
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
  const message = errorBeside(reset.error, ["password"]);
  return (
    <EntryPage title={TEXTS.reset.title} description={TEXTS.reset.description}>
      <form
        className="grid gap-4"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          reset.mutate();
        }}
      >
        {message !== undefined && <Banner tone="danger">{message}</Banner>}
        <NewPassword
          label={TEXTS.reset.label}
          value={password}
          onValueChange={setPassword}
          strength={strength}
          error={errorAt(reset.error, "password")}
        />
        <Button type="submit" variant="primary" size="lg" loading={reset.isPending}>
          {TEXTS.reset.submit}
        </Button>
      </form>
    </EntryPage>
  );
}
