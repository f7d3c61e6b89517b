import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useParams, useRouter } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { api } from "../../api/client.ts";
import { safeNext } from "../../api/safe-next.ts";
import { errorBeside } from "../../api/sign-in.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { EntryPage } from "../../ui/entry-page.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { EmailSent } from "./email-sent.tsx";

/** The page that an identity provider sends the browser back to. */
export function SsoCallbackPage() {
  const TEXTS = texts.sso.callback;
  const { provider = "" } = useParams({ strict: false });
  const router = useRouter();
  const queries = useQueryClient();
  const finish = useMutation({
    mutationFn: (query: string) => api.call("POST /v1/auth/sso/callback", { body: { provider_id: provider, query } }),
    onSuccess: (entry) => {
      if (entry.confirm !== null) return;
      queries.clear();
      router.history.push(safeNext(entry.return_to));
    },
  });
  const hasBegun = useRef(false);
  useEffect(() => {
    if (hasBegun.current) return;
    hasBegun.current = true;
    const query = location.search;
    // The code works once, but no history has to keep it.
    history.replaceState(history.state, "", location.pathname);
    finish.mutate(query);
  });
  if (finish.data?.confirm !== undefined && finish.data.confirm !== null) {
    return (
      <EmailSent sent={finish.data.sent ?? "mail"}>
        <p>
          <Sentence
            text={TEXTS.sent}
            parts={{ email: <strong className="wrap-anywhere text-text">{finish.data.confirm}</strong> }}
          />
        </p>
      </EmailSent>
    );
  }
  const message = errorBeside(finish.error, []);
  if (message === undefined) {
    return (
      <EntryPage title={TEXTS.title}>
        <SkeletonRows rows={2} label={TEXTS.title} />
      </EntryPage>
    );
  }
  return (
    <EntryPage title={TEXTS.failed}>
      <Banner tone="danger">{message}</Banner>
      <Link to="/sso" className={buttonClass("primary", "lg")}>
        {TEXTS.again}
      </Link>
    </EntryPage>
  );
}
