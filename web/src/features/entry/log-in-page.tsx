import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { signInFeaturesQuery } from "../../api/sign-in.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { EntryPage } from "../../ui/entry-page.tsx";
import { Form, PasswordField, TextField } from "../../ui/form.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";
import { PasskeyButton } from "./passkey-button.tsx";
import { SecondFactorStep } from "./second-factor-step.tsx";
import { useContinueAfterLogIn } from "./use-continue-after-log-in.ts";
import { WalletButtons } from "./wallet-buttons.tsx";

const TEXTS = texts.entry;

const route = getRouteApi("/log-in");

/** Log in: by address and password, or by wallet, then a code where there is a second factor; or by passkey. */
export function LogInPage() {
  const { next } = route.useSearch();
  const continueAfterLogIn = useContinueAfterLogIn(next);
  const { data: features } = useQuery(signInFeaturesQuery);
  const form = useApiForm({
    values: { email: "", password: "" },
    send: (body) => api.call("POST /v1/auth/log-in", { body }),
    onSent: (entry) => {
      form.setValue("password", "");
      if (!entry.second_factor) continueAfterLogIn();
    },
  });
  const [walletTicket, setWalletTicket] = useState<string>();
  const ticket = form.answer?.ticket ?? walletTicket;
  const startOver = () => {
    form.startOver();
    setWalletTicket(undefined);
  };
  if (ticket !== undefined) return <SecondFactorStep ticket={ticket} onIn={continueAfterLogIn} onOver={startOver} />;
  return (
    <EntryPage
      title={TEXTS.logIn}
      footer={
        features?.sign_up === "open" && (
          <Sentence
            text={TEXTS.newHere}
            parts={{
              link: (
                <Link to="/sign-up" search={next === undefined ? {} : { next }} className={TEXT_LINK}>
                  {TEXTS.signUp}
                </Link>
              ),
            }}
          />
        )
      }
    >
      <Form form={form}>
        <TextField
          form={form}
          name="email"
          label={TEXTS.email}
          required
          type="email"
          autoFocus
          autoComplete="username webauthn"
        />
        <PasswordField form={form} name="password" label={TEXTS.password} required autoComplete="current-password" />
        <Button type="submit" variant="primary" size="lg" loading={form.isSending}>
          {TEXTS.logIn}
        </Button>
        <p className="text-center text-sm">
          <Link to="/forgot" className={TEXT_LINK}>
            {TEXTS.forgotPassword}
          </Link>
        </p>
      </Form>
      <div className="flex items-center gap-3 text-sm text-faint">
        <span className="h-px grow bg-line" />
        {TEXTS.or}
        <span className="h-px grow bg-line" />
      </div>
      <PasskeyButton onIn={continueAfterLogIn} />
      <Link to="/sso" search={next === undefined ? {} : { next }} className={buttonClass("secondary", "lg")}>
        {texts.sso.logIn}
      </Link>
      <WalletButtons
        onEntry={(entry) => (entry.second_factor ? setWalletTicket(entry.ticket) : continueAfterLogIn())}
      />
    </EntryPage>
  );
}
