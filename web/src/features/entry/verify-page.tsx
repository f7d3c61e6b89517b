import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api } from "../../api/client.ts";
import { errorBeside, isRefusal } from "../../api/sign-in.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { EntryPage } from "../../ui/entry-page.tsx";
import { DeadLink } from "./dead-link.tsx";
import { useContinueAfterLogIn } from "./use-continue-after-log-in.ts";
import { useLinkToken } from "./use-link-token.ts";
import { WayIn } from "./way-in.tsx";

const TEXTS = texts.entry.verify;

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
      <DeadLink to="/log-in" label={texts.entry.logIn}>
        {TEXTS.dead}
      </DeadLink>
    );
  }
  if (verify.data?.done === "email") {
    return (
      <EntryPage title={TEXTS.changed} description={TEXTS.changedText}>
        <Link to="/" className={buttonClass("primary", "lg")}>
          {TEXTS.dashboard}
        </Link>
      </EntryPage>
    );
  }
  if (verify.data?.done === "sign_up" && !verify.data.has_password) return <WayIn onDone={continueAfterLogIn} />;
  const message = errorBeside(verify.error, []);
  return (
    <EntryPage title={TEXTS.title} description={TEXTS.description}>
      {message !== undefined && <Banner tone="danger">{message}</Banner>}
      <Button
        variant="primary"
        size="lg"
        autoFocus
        loading={verify.isPending || verify.isSuccess}
        onClick={() => verify.mutate()}
      >
        {TEXTS.submit}
      </Button>
    </EntryPage>
  );
}
