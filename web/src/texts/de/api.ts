/** What the browser's side of the API says. */
export const api = {
  failed: "Etwas ist schiefgelaufen. Versuchen Sie es erneut.",
  wallet: {
    declined: "Sie haben in der Wallet abgelehnt. Es wurde nichts gesendet.",
    noAddress: (name: string) =>
      `${name} hat keine Adresse angegeben. Entsperren Sie die Wallet und versuchen Sie es erneut.`,
    notSigned: (name: string) => `${name} hat nicht signiert. Versuchen Sie es erneut.`,
    unknownChain: (name: string, chain: number) =>
      `${name} kennt die Chain ${chain} nicht. Fügen Sie sie dort hinzu und zahlen Sie dann.`,
    notSent: (name: string) => `${name} hat nichts gesendet. Versuchen Sie es erneut.`,
  },
  passkeys: {
    bareAddress: "Passkeys funktionieren nicht mit einer IP-Adresse. Öffnen Sie diese Seite über ihren Domainnamen.",
    insecure: "Passkeys benötigen HTTPS. Öffnen Sie diese Seite über ihre https://-Adresse.",
    unsupported: "Dieser Browser unterstützt keine Passkeys.",
    notUsed: "Es wurde kein Passkey verwendet.",
    notCreated: "Es wurde kein Passkey erstellt.",
    exists: "Dieses Gerät hat bereits einen Passkey für Ihr Konto.",
  },
};
