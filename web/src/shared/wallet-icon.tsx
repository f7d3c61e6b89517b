import { Wallet } from "lucide-react";
import type { InjectedWallet } from "../api/injected-wallets.ts";

/** A wallet's own picture, or a plain one. */
export function WalletIcon({ wallet }: { readonly wallet: InjectedWallet }) {
  if (wallet.icon === undefined) return <Wallet aria-hidden="true" />;
  return <img src={wallet.icon} alt="" className="size-4" />;
}
