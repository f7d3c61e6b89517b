import { useMutation, useQuery } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { errorBeside, isRefusal } from "../../api/sign-in.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { EntryPage } from "../../ui/entry-page.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { DeadLink } from "./dead-link.tsx";
import { useContinueAfterLogIn } from "./use-continue-after-log-in.ts";
import { useLinkToken } from "./use-link-token.ts";

/** Asks a person whether an organisation's identity provider may log them in. */
export function SsoConfirmPage() {
  const TEXTS = texts.sso.confirm;
  const token = useLinkToken();
  const continueAfterLogIn = useContinueAfterLogIn();
  const link = useQuery({
    queryKey: ["sso-address", token],
    queryFn: () => api.call("POST /v1/auth/sso/address", { body: { token } }),
    enabled: token !== "",
    retry: false,
  });
  const confirm = useMutation({
    mutationFn: () => api.call("POST /v1/auth/sso/confirm", { body: { token } }),
    onSuccess: continueAfterLogIn,
  });
  if (token === "" || isRefusal(link.error, "not_found") || isRefusal(confirm.error, "not_found")) {
    return (
      <DeadLink to="/log-in" label={texts.entry.logIn}>
        {TEXTS.dead}
      </DeadLink>
    );
  }
  const message = errorBeside(link.error ?? confirm.error, []);
  return (
    <EntryPage
      title={TEXTS.title}
      {...(link.data === undefined ? {} : { description: TEXTS.description(link.data.organisation, link.data.email) })}
    >
      {message !== undefined && <Banner tone="danger">{message}</Banner>}
      {link.data === undefined && message === undefined && <SkeletonRows rows={2} label={TEXTS.loading} />}
      {link.data !== undefined && (
        <Button
          variant="primary"
          size="lg"
          loading={confirm.isPending || confirm.isSuccess}
          onClick={() => confirm.mutate()}
        >
          {TEXTS.submit}
        </Button>
      )}
    </EntryPage>
  );
}
