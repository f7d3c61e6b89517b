import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ApiError } from "@trunkline/sdk";
import { Check } from "lucide-react";
import { type FormEvent, useState } from "react";
import { api } from "../../api/client.ts";
import { usePermission } from "../../api/session.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { formatMoney } from "../../ui/format.ts";
import { Input } from "../../ui/input.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";
import { readTyped, type TypedCode } from "./redeem-code.ts";

const TEXTS = texts.billing.redeemForm;

/** Redeems a code. A typo is reported while typing, before anything is sent. */
export function RedeemForm() {
  const queries = useQueryClient();
  const mayRedeem = usePermission("billing.change");
  const [text, setText] = useState("");
  const [isChecked, setIsChecked] = useState(false);
  const redeem = useMutation({
    mutationFn: (code: string) => api.call("POST /v1/redeem", { body: { code } }),
    onSuccess: async () => {
      setText("");
      setIsChecked(false);
      await Promise.all([
        queries.invalidateQueries({ queryKey: ["billing"] }),
        queries.invalidateQueries({ queryKey: ["balance"] }),
      ]);
    },
  });
  const typed = readTyped(text);

  function send(event: FormEvent) {
    event.preventDefault();
    setIsChecked(true);
    if (typed.state === "whole") redeem.mutate(text);
  }

  const error = redeem.isError ? sentenceOf(redeem.error) : mistakeIn(typed, isChecked);
  return (
    <div className="grid gap-3">
      <form onSubmit={send} noValidate className="grid gap-3">
        <Field
          label={TEXTS.redeemACode}
          hint={typed.state === "whole" ? TEXTS.thisIsAWhole : TEXTS.itLooksLikeTl}
          error={error}
        >
          <Input
            mono
            value={text}
            disabled={!mayRedeem}
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            maxLength={64}
            placeholder={TEXTS.tl}
            className="uppercase placeholder:normal-case"
            // Always something, so that the box stays the same one while it is typed into.
            suffix={typed.state === "whole" ? <Check aria-hidden="true" className="size-4 text-positive" /> : null}
            onChange={(event) => {
              setText(event.target.value);
              setIsChecked(false);
              if (!redeem.isIdle) redeem.reset();
            }}
          />
        </Field>
        <Button
          type="submit"
          variant="primary"
          loading={redeem.isPending}
          disabled={!mayRedeem}
          className="justify-self-start"
        >
          {TEXTS.redeem}
        </Button>
      </form>
      <div role="status">
        {redeem.isSuccess && (
          <Banner tone="positive" title={TEXTS.added(formatMoney(redeem.data.credits))}>
            <Sentence
              text={TEXTS.theBalanceIsNow}
              parts={{
                balance: formatMoney(redeem.data.balance),
                link: (
                  <Link to="/billing/receipts/$id" params={{ id: redeem.data.transaction_id }} className={TEXT_LINK}>
                    {TEXTS.seeTheReceipt}
                  </Link>
                ),
              }}
            />
          </Banner>
        )}
      </div>
    </div>
  );
}

/** What is wrong with a code so far. An unfinished code is reported only when it is sent. */
function mistakeIn(typed: TypedCode, isSent: boolean): string | undefined {
  switch (typed.state) {
    case "impossible":
      return TEXTS.noCodeHasThe(typed.character);
    case "wrong":
      return TEXTS.aCharacterIsWrong;
    case "partial":
      if (!isSent) return undefined;
      return typed.missing === 1 ? TEXTS.aCharacterIsMissing : TEXTS.charactersAreMissing(typed.missing);
    case "empty":
      return isSent ? TEXTS.typeTheCodeThat : undefined;
    case "whole":
      return undefined;
  }
}

function sentenceOf(error: unknown): string {
  return error instanceof ApiError ? error.message : TEXTS.theCodeCouldNot;
}
