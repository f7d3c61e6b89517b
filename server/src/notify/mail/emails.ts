import type { WebhookEvent } from "../webhooks/deliver.ts";
import type { MailMessage } from "./smtp.ts";

/** An e-mail with fixed texts only, so that an attacker can't send words of their own in our name. */
export interface Email {
  readonly to: string;
  readonly subject: string;
  readonly lines: readonly string[];
  readonly link?: { readonly label: string; readonly url: string };
}

/** Builds links for e-mails from the configured origin, never from one that a request claims. */
export type LinkBuilder = (page: string, token?: string) => string;

/** Links carry their token in the fragment, which browsers don't send, so no server on the way can log it. */
export function createLinkBuilder(origin: string): LinkBuilder {
  return (page, token) => `${origin}/${page}${token === undefined ? "" : `#${token}`}`;
}

const IGNORE_IF_NOT_YOU = "If this was not you, do nothing: without the link nothing happens.";

export function signUpEmail(to: string, url: string): Email {
  return {
    to,
    subject: "Confirm your e-mail address",
    lines: ["This e-mail address was used to sign up to Trunkline. Confirm it within a day.", IGNORE_IF_NOT_YOU],
    link: { label: "Confirm the address", url },
  };
}

/** For an address that has an account and was used for a sign-up again. */
export function accountExistsEmail(to: string, logInUrl: string, forgotUrl: string): Email {
  return {
    to,
    subject: "You have a Trunkline account already",
    lines: [
      "This e-mail address was used to sign up again. There is an account with it already, so nothing was changed.",
      `If it was you, log in. If you don't know the password any more, choose a new one: ${forgotUrl}`,
    ],
    link: { label: "Log in", url: logInUrl },
  };
}

export function passwordResetEmail(to: string, url: string): Email {
  return {
    to,
    subject: "Choose a new password",
    lines: ["A new password was asked for your account. The link works once, within an hour.", IGNORE_IF_NOT_YOU],
    link: { label: "Choose a new password", url },
  };
}

/** For a new address, before it replaces the old one. */
export function confirmAddressEmail(to: string, url: string): Email {
  return {
    to,
    subject: "Confirm your new e-mail address",
    lines: [
      "This e-mail address was entered as the new one of a Trunkline account. Confirm it within a day.",
      IGNORE_IF_NOT_YOU,
    ],
    link: { label: "Confirm the address", url },
  };
}

/** For an address that an organisation's identity provider names, but does not own. */
export function ssoAddressEmail(to: string, url: string): Email {
  return {
    to,
    subject: "Confirm your log-in by single sign-on",
    lines: [
      "An organisation's identity provider wants to log you in to Trunkline with this e-mail address. Confirm it within an hour.",
      IGNORE_IF_NOT_YOU,
    ],
    link: { label: "See who asks, and confirm", url },
  };
}

/** For those who look after an account's bills, after its automatic payments were stopped. */
export function autoTopUpStoppedEmail(to: string, reason: string, billingUrl: string): Email {
  return {
    to,
    subject: "Automatic payments were stopped",
    lines: [
      `The automatic payments of your Trunkline account were stopped: ${reason}`,
      "Your credits may run out. Buy some by hand, then switch automatic payments on again.",
    ],
    link: { label: "Open Billing", url: billingUrl },
  };
}

/** For those who look after an account's bills: a budget or the balance has passed a mark. Figures only, no names that others chose. */
export function alertEmail(
  to: string,
  type: WebhookEvent["type"],
  data: Readonly<Record<string, unknown>>,
  url: string,
): Email | undefined {
  const link = { label: "Open Billing", url };
  const setting = "You can change or turn off these e-mails under Billing, Alerts.";
  if (type === "balance.low")
    return {
      to,
      subject: "Your Trunkline balance is low",
      lines: [
        `The balance of your organisation is ${formatDollars(data.balance)}, below the mark of ${formatDollars(data.low_balance)}.`,
        "When it runs out, requests that cost anything are refused until credits are added.",
        setting,
      ],
      link,
    };
  if (type === "balance.exhausted")
    return {
      to,
      subject: "Your Trunkline balance has run out",
      lines: ["Requests that cost anything are refused until credits are added.", setting],
      link,
    };
  if (type !== "budget.threshold") return undefined;
  const percent = Math.round(Number(data.threshold) * 100);
  const whose = data.scope === "organisation" ? "Your organisation" : "A key of your organisation";
  const spent = `${formatDollars(data.spent)} of ${formatDollars(data.limit)}`;
  return {
    to,
    subject: `${percent} % of a Trunkline budget is spent`,
    lines: [
      `${whose} has spent ${spent}: ${percent} % of its budget or more is used.`,
      "Requests that would go beyond the budget are refused until it is raised or its next period begins.",
      setting,
    ],
    link,
  };
}

function formatDollars(credits: unknown): string {
  return Number(credits).toLocaleString("en-US", { style: "currency", currency: "USD", maximumFractionDigits: 6 });
}

/** For the operator: an organisation asks for credits. What it wrote is in the dashboard alone. */
export function creditsRequestedEmail(to: string, url: string): Email {
  return {
    to,
    subject: "An organisation asks for credits",
    lines: ["An organisation has asked for credits. Read its request in the dashboard, and grant or decline it."],
    link: { label: "Open the request", url },
  };
}

/** For the person who asked for credits. */
export function creditRequestDecidedEmail(to: string, isGranted: boolean, url: string): Email {
  return {
    to,
    subject: isGranted ? "Your credits were granted" : "Your request for credits was declined",
    lines: [
      isGranted
        ? "The operator has added credits to your organisation's balance."
        : "The operator has declined your request for credits.",
    ],
    link: { label: "Open Billing", url },
  };
}

/** Shows an operator that mail arrives. */
export function mailTestEmail(to: string, url: string): Email {
  return {
    to,
    subject: "Trunkline can send mail",
    lines: ["This is the test mail that was asked for in the operator's settings. There is nothing to do."],
    link: { label: "Open the dashboard", url },
  };
}

/** Notifies a person of a change in their account. */
export function securityNoticeEmail(to: string, what: string, url: string): Email {
  return {
    to,
    subject: what,
    lines: [
      `${what}. If it was you, there is nothing to do.`,
      "If not, choose a new password at once, then remove every passkey that is not yours: those it does not end.",
    ],
    link: { label: "Choose a new password", url },
  };
}

/** The e-mail as text and as plain HTML. */
export function renderEmail({ to, subject, lines, link }: Email): MailMessage {
  const text = [...lines, ...(link === undefined ? [] : [`${link.label}: ${link.url}`])].join("\n\n");
  const paragraphs = lines.map((line) => `<p>${escapeHtml(line)}</p>`);
  const anchor =
    link === undefined
      ? []
      : [`<p><a href="${escapeHtml(link.url)}">${escapeHtml(link.label)}</a></p>`, `<p>${escapeHtml(link.url)}</p>`];
  return { to, subject, text: `${text}\n`, html: `${[...paragraphs, ...anchor].join("\n")}\n` };
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
