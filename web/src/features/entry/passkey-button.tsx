import { useMutation } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import { useEffect, useEffectEvent } from "react";
import { logInByPasskey, offersAutofill, PasskeyDeclined, passkeyHindrance, stopAutofill } from "../../api/passkeys.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";

/** The server's questions are good for 5 minutes: a new one is asked before. */
const RENEW_MS = 4 * 60_000;

/** Logs in by passkey, at a click or from the suggestions of the address field. */
export function PasskeyButton({ onIn }: { readonly onIn: () => void }) {
  const hindrance = passkeyHindrance();
  const logIn = useMutation({ mutationFn: () => logInByPasskey(false), onSuccess: onIn });
  useAutofill(onIn, logIn.isPending);
  if (hindrance !== undefined) {
    return (
      <p className="text-sm text-muted">
        {hindrance.why}{" "}
        {hindrance.link !== undefined && (
          <a className={TEXT_LINK} href={hindrance.link}>
            {texts.entry.openAt(new URL(hindrance.link).host)}
          </a>
        )}
      </p>
    );
  }
  return (
    <>
      <Button size="lg" icon={<KeyRound aria-hidden="true" />} loading={logIn.isPending} onClick={() => logIn.mutate()}>
        {texts.entry.passkey}
      </Button>
      {logIn.isError && (
        <Banner tone={logIn.error instanceof PasskeyDeclined ? "info" : "danger"}>{logIn.error.message}</Banner>
      )}
    </>
  );
}

/** Lets the browser offer passkeys while the address is typed. Errors are ignored here: the button reports them. */
function useAutofill(onIn: () => void, isPaused: boolean): void {
  const enter = useEffectEvent(onIn);
  useEffect(() => {
    if (isPaused) return undefined;
    let isOver = false;
    const wait = async () => {
      if (!(await offersAutofill()) || isOver) return;
      await logInByPasskey(true);
      if (!isOver) enter();
    };
    const begin = () => void wait().catch(() => undefined);
    begin();
    const timer = setInterval(begin, RENEW_MS);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [isPaused]);
  // A question at a click ends the one that waits by itself; only leaving the page has to.
  useEffect(() => () => void stopAutofill().catch(() => undefined), []);
}
