import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Check } from "lucide-react";
import { api } from "../../api/client.ts";
import { usePermission } from "../../api/session.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { formatMoney } from "../../ui/format.ts";
import { TEXT_LINK } from "../../ui/text-link.ts";
import { readTyped, type TypedCode } from "./redeem-code.ts";

const TEXTS = texts.billing.redeemForm;

/** Redeems a code. A typo is reported while typing, before anything is sent. */
export function RedeemForm() {
  const queries = useQueryClient();
  const mayRedeem = usePermission("billing.change");
  const form = useApiForm({
    values: { code: "" },
    send: (body) => api.call("POST /v1/redeem", { body }),
    onSent: async () => {
      form.reset();
      await Promise.all([
        queries.invalidateQueries({ queryKey: ["billing"] }),
        queries.invalidateQueries({ queryKey: ["balance"] }),
      ]);
    },
  });
  const typed = readTyped(form.watch("code"));
  const redeemed = form.isDirty ? undefined : form.answer;
  return (
    <div className="grid gap-3">
      <Form form={form} className="gap-3">
        <TextField
          form={form}
          name="code"
          label={TEXTS.redeemACode}
          hint={typed.state === "whole" ? TEXTS.thisIsAWhole : TEXTS.itLooksLikeTl}
          mistake={mistakeIn(typed)}
          check={(code) => mistakeIn(readTyped(code)) ?? lackOf(readTyped(code))}
          mono
          disabled={!mayRedeem}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          maxLength={64}
          placeholder={TEXTS.tl}
          // Always something, so that the box stays the same one while it is typed into.
          suffix={typed.state === "whole" ? <Check aria-hidden="true" className="size-4 text-positive" /> : null}
          inputClassName="uppercase placeholder:normal-case"
        />
        <Button
          type="submit"
          variant="primary"
          loading={form.isSending}
          disabled={!mayRedeem}
          className="justify-self-start"
        >
          {TEXTS.redeem}
        </Button>
      </Form>
      <div role="status">
        {redeemed !== undefined && (
          <Banner tone="positive" title={TEXTS.added(formatMoney(redeemed.credits))}>
            <Sentence
              text={TEXTS.theBalanceIsNow}
              parts={{
                balance: formatMoney(redeemed.balance),
                link: (
                  <Link to="/billing/receipts/$id" params={{ id: redeemed.transaction_id }} className={TEXT_LINK}>
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

/** What is wrong with a code so far. */
function mistakeIn(typed: TypedCode): string | undefined {
  if (typed.state === "impossible") return TEXTS.noCodeHasThe(typed.character);
  return typed.state === "wrong" ? TEXTS.aCharacterIsWrong : undefined;
}

/** What a code lacks that is sent. */
function lackOf(typed: TypedCode): string | undefined {
  if (typed.state === "empty") return TEXTS.typeTheCodeThat;
  if (typed.state !== "partial") return undefined;
  return typed.missing === 1 ? TEXTS.aCharacterIsMissing : TEXTS.charactersAreMissing(typed.missing);
}
