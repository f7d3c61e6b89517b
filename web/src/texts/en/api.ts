/** What the browser's side of the API says. */
export const api = {
  failed: "Something went wrong. Try again.",
  passkeys: {
    bareAddress: "Passkeys don't work on an IP address. Open this page by its domain name.",
    insecure: "Passkeys need HTTPS. Open this page by its https:// address.",
    unsupported: "This browser doesn't support passkeys.",
    notUsed: "No passkey was used.",
    notCreated: "No passkey was created.",
    exists: "This device already has a passkey for your account.",
  },
};
