import { useMutation, useQuery } from "@tanstack/react-query";
import { type InjectedWallet, logInByWallet, useInjectedWallets, WalletDeclined } from "../../api/injected-wallets.ts";
import { type Entry, signInFeaturesQuery } from "../../api/sign-in.ts";
import { WalletIcon } from "../../shared/wallet-icon.tsx";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";

/** Logs in by a wallet of this browser; nothing where there is none, or where the service accepts none. */
export function WalletButtons({ onEntry }: { readonly onEntry: (entry: Entry) => void }) {
  const { data: features } = useQuery(signInFeaturesQuery);
  const wallets = useInjectedWallets();
  const logIn = useMutation({ mutationFn: (wallet: InjectedWallet) => logInByWallet(wallet), onSuccess: onEntry });
  if (features?.wallet !== true || wallets.length === 0) return null;
  return (
    <>
      {wallets.map((wallet) => (
        <Button
          key={wallet.id}
          size="lg"
          icon={<WalletIcon wallet={wallet} />}
          loading={logIn.isPending && logIn.variables.id === wallet.id}
          disabled={logIn.isPending}
          onClick={() => logIn.mutate(wallet)}
        >
          {texts.entry.wallet(wallet.name)}
        </Button>
      ))}
      {logIn.isError && (
        <Banner tone={logIn.error instanceof WalletDeclined ? "info" : "danger"}>{logIn.error.message}</Banner>
      )}
    </>
  );
}
