import { Coins } from "lucide-react";
import { useState } from "react";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";

const TEXTS = texts.billing.tokenPaymentDialog;

const TokenPayment = lazyPart(() => import("./token-payment.tsx").then((module) => module.TokenPayment));

/** The button that opens payment by token. */
export function TokenPaymentDialog() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button icon={<Coins aria-hidden="true" />} onClick={() => setIsOpen(true)}>
        {TEXTS.payByToken}
      </Button>
      <Dialog open={isOpen} onOpenChange={setIsOpen} title={TEXTS.payByToken}>
        <TokenPayment />
      </Dialog>
    </>
  );
}
