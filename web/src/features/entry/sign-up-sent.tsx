import { useQuery } from "@tanstack/react-query";
import { Hourglass, MailCheck } from "lucide-react";
import { type ReactNode, useEffect, useEffectEvent } from "react";
import { api } from "../../api/client.ts";
import { isRefusal } from "../../api/sign-in.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { EntryPage } from "../../ui/entry-page.tsx";
import { Note } from "./email-sent.tsx";
import { useContinueAfterLogIn } from "./use-continue-after-log-in.ts";
import { WayIn } from "./way-in.tsx";

const ASK_EVERY_MS = 4_000;

export interface SignUpSentProps {
  readonly sent: "mail" | "log";
  readonly email: string;
  readonly hasPassword: boolean;
  readonly footer: ReactNode;
}

/** What happens after a sign-up: a link in the mail, or the operator's approval, after which the dashboard opens. */
export function SignUpSent({ sent, email, hasPassword, footer }: SignUpSentProps) {
  const words = texts.entry;
  const continueAfterLogIn = useContinueAfterLogIn();
  const progress = useQuery({
    queryKey: ["resume-sign-up", email],
    queryFn: ({ signal }) => api.call("POST /v1/auth/resume-sign-up", { signal, body: {} }),
    enabled: sent === "log",
    refetchInterval: ({ state }) =>
      state.data?.state === "approved" || isRefusal(state.error, "not_found") ? false : ASK_EVERY_MS,
    // The service puts a sign-up down after it has answered: a first look may come too early.
    retry: 3,
    staleTime: 0,
  });
  const isIn = progress.data?.state === "approved" && progress.data.has_password === true;
  const enter = useEffectEvent(continueAfterLogIn);
  useEffect(() => {
    if (isIn) enter();
  }, [isIn]);
  if (progress.data?.state === "approved" && !isIn) return <WayIn onDone={continueAfterLogIn} />;
  const address = { email: <strong className="wrap-anywhere text-text">{email}</strong> };
  if (sent === "mail") {
    return (
      <EntryPage title={words.mail.title} footer={footer}>
        <Note icon={<MailCheck aria-hidden="true" />}>
          <p>
            <Sentence text={words.mail.sentTo} parts={address} />
          </p>
          <p>{words.mail.noMail}</p>
        </Note>
      </EntryPage>
    );
  }
  if (isRefusal(progress.error, "not_found")) {
    return (
      <EntryPage title={words.waiting.over} footer={footer}>
        <p className="text-muted">{words.waiting.overText}</p>
      </EntryPage>
    );
  }
  return (
    <EntryPage title={words.waiting.title} footer={footer}>
      <Note icon={<Hourglass aria-hidden="true" />}>
        <p>
          <Sentence text={words.waiting.text} parts={address} />
        </p>
        <p>{hasPassword ? words.waiting.next : words.waiting.nextPasskey}</p>
        <p className="text-sm">{words.waiting.checking}</p>
      </Note>
    </EntryPage>
  );
}
