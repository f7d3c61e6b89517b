import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ApiError } from "@trunkline/sdk";
import { Check } from "lucide-react";
import { type FormEvent, useState } from "react";
import { api } from "../../api/client.ts";
import { usePermission } from "../../api/session.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { formatMoney } from "../../ui/format.ts";
import { Input } from "../../ui/input.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";
import { readTyped, type TypedCode } from "./redeem-code.ts";

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
          label="Redeem a code"
          hint={typed.state === "whole" ? "This is a whole code." : "It looks like TL-XXXX-XXXX-XXXX-XXXXX."}
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
            placeholder="TL-"
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
          Redeem
        </Button>
      </form>
      <div role="status">
        {redeem.isSuccess && (
          <Banner tone="positive" title={`${formatMoney(redeem.data.credits)} added`}>
            The balance is now {formatMoney(redeem.data.balance)}.{" "}
            <Link to="/billing/receipts/$id" params={{ id: redeem.data.transaction_id }} className={TEXT_LINK}>
              See the receipt
            </Link>
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
      return `No code has the character ${typed.character}. Check what you were given.`;
    case "wrong":
      return "A character is wrong, or there are too many. Compare it with what you were given.";
    case "partial":
      if (!isSent) return undefined;
      return typed.missing === 1 ? "A character is missing." : `${typed.missing} characters are missing.`;
    case "empty":
      return isSent ? "Type the code that you were given." : undefined;
    case "whole":
      return undefined;
  }
}

function sentenceOf(error: unknown): string {
  return error instanceof ApiError ? error.message : "The code could not be redeemed. Try again.";
}
