import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { errorAt, errorBeside, signInFeaturesQuery } from "../../api/sign-in.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { EntryPage } from "../../ui/entry-page.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { PasswordInput } from "../../ui/password-input.tsx";
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
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const logIn = useMutation({
    mutationFn: () => api.call("POST /v1/auth/log-in", { body: { email, password } }),
    onSuccess: (entry) => {
      setPassword("");
      if (!entry.second_factor) continueAfterLogIn();
    },
  });
  const [walletTicket, setWalletTicket] = useState<string>();
  const ticket = logIn.data?.ticket ?? walletTicket;
  const startOver = () => {
    logIn.reset();
    setWalletTicket(undefined);
  };
  if (ticket !== undefined) return <SecondFactorStep ticket={ticket} onIn={continueAfterLogIn} onOver={startOver} />;
  const message = errorBeside(logIn.error, ["email", "password"]);
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
      <form
        className="grid gap-4"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          logIn.mutate();
        }}
      >
        {message !== undefined && <Banner tone="danger">{message}</Banner>}
        <Field label={TEXTS.email} error={errorAt(logIn.error, "email")} required>
          <Input
            type="email"
            autoFocus
            value={email}
            autoComplete="username webauthn"
            onChange={(event) => setEmail(event.target.value)}
          />
        </Field>
        <Field label={TEXTS.password} error={errorAt(logIn.error, "password")} required>
          <PasswordInput
            value={password}
            autoComplete="current-password"
            onChange={(event) => setPassword(event.target.value)}
          />
        </Field>
        <Button type="submit" variant="primary" size="lg" loading={logIn.isPending}>
          {TEXTS.logIn}
        </Button>
        <p className="text-center text-sm">
          <Link to="/forgot" className={TEXT_LINK}>
            {TEXTS.forgotPassword}
          </Link>
        </p>
      </form>
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
