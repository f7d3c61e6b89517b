import { useQuery } from "@tanstack/react-query";
import { Coins, CreditCard } from "lucide-react";
import { Card } from "../../ui/card.tsx";
import { methodsQuery } from "./queries.ts";
import { RedeemForm } from "./redeem-form.tsx";

const NAMES = { code: "Code", card: "Card", token: "Token" } as const;
const ICONS = { card: CreditCard, token: Coins } as const;

/** The ways to add credits: what is offered, and quietly what is not. */
export function TopUpCard() {
  const { data } = useQuery(methodsQuery);
  const absent = (data?.data ?? []).filter(({ available }) => !available);
  return (
    <Card className="grid content-start gap-4">
      <h2 className="text-lg font-semibold">Add credits</h2>
      <RedeemForm />
      {absent.length > 0 && (
        <ul className="grid gap-2 border-t border-line pt-4 text-sm text-muted">
          {absent.map(({ kind, reason }) => {
            const Icon = kind === "code" ? Coins : ICONS[kind];
            return (
              <li key={kind} className="flex items-center gap-2.5">
                <Icon aria-hidden="true" className="size-4 shrink-0 text-faint" />
                <span>
                  <span className="font-medium">{NAMES[kind]}</span> — {reason}
                </span>
              </li>
            );
          })}
        </ul>
      )}
    </Card>
  );
}
