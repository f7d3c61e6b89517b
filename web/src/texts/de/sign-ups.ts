import { plural } from "../plural.ts";

/** The operator's view of waiting sign-ups, and of the mail server. */
export const signUps = {
  title: "Wartende Registrierungen",
  count: (count: number) => plural(count, { one: "Registrierung wartet", other: "Registrierungen warten" }),
  description: "Personen, die sich registriert und ihre E-Mail-Adresse noch nicht bestätigt haben.",
  noMail: "Dieser Dienst kann keine E-Mails senden. Geben Sie sie hier frei oder senden Sie den Link selbst.",
  loading: "Registrierungen werden geladen",
  person: "Person",
  organisation: "Organisation",
  signedUp: "Registriert",
  expires: "Läuft ab",
  actions: "Aktionen",
  approve: "Freigeben",
  approveFor: (email: string) => `${email} freigeben`,
  approved: (email: string) => `${email} freigegeben`,
  approvedText: "Das Konto kann jetzt genutzt werden.",
  copyLink: "Link kopieren",
  copyLinkFor: (email: string) => `Link für ${email} kopieren`,
  linkTitle: "Diesen Link senden",
  linkText: (email: string) =>
    `Senden Sie ihn an ${email}. Er aktiviert das Konto, funktioniert einmal und läuft nach einem Tag ab.`,
  link: "Link",
  done: "Fertig",
  decline: "Ablehnen",
  declineFor: (email: string) => `${email} ablehnen`,
  declined: (email: string) => `${email} abgelehnt`,
  mail: {
    title: "E-Mail",
    loading: "E-Mail-Einstellungen werden geladen",
    on: "E-Mail ist eingerichtet",
    onText: "Gesendet von {server}, Absender {from}.",
    off: "E-Mail ist nicht eingerichtet",
    offText:
      "Setzen Sie {url} und {from} und starten Sie den Dienst neu. Bis dahin geben Sie Registrierungen unter „Konten“ frei; Links zum Zurücksetzen von Passwörtern stehen im Log.",
    to: "Test-E-Mail senden an",
    send: "Test-E-Mail senden",
    sent: "Test-E-Mail gesendet",
    sentText: (to: string) => `Der Mailserver hat sie angenommen. Prüfen Sie das Postfach von ${to}.`,
    failed: "Der Mailserver hat die Test-E-Mail nicht angenommen",
  },
};
