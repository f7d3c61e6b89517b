/** What the browser's side of the API says. */
export const api = {
  failed: "Something went wrong. Try again.",
  wallet: {
    declined: "You declined in the wallet. Nothing was sent.",
    noAddress: (name: string) => `${name} gave no address. Unlock it and try again.`,
    notSigned: (name: string) => `${name} did not sign. Try again.`,
    unknownChain: (name: string, chain: number) => `${name} does not know chain ${chain}. Add it there, then pay.`,
    notSent: (name: string) => `${name} sent nothing. Try again.`,
  },
  passkeys: {
    bareAddress: "Passkeys don't work on an IP address. Open this page by its domain name.",
    insecure: "Passkeys need HTTPS. Open this page by its https:// address.",
    unsupported: "This browser doesn't support passkeys.",
    notUsed: "No passkey was used.",
    notCreated: "No passkey was created.",
    exists: "This device already has a passkey for your account.",
  },
};
