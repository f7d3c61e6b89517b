import { Coins } from "lucide-react";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TokenPayment } from "./token-payment.tsx";

/** The button that opens payment by token. */
export function TokenPaymentDialog() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button icon={<Coins aria-hidden="true" />} onClick={() => setIsOpen(true)}>
        Pay by token
      </Button>
      <Dialog open={isOpen} onOpenChange={setIsOpen} title="Pay by token">
        <TokenPayment />
      </Dialog>
    </>
  );
}
