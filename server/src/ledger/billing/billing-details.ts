/** Whom an account's receipts are made out to. */
export interface BillingDetails {
  readonly company: string | undefined;
  readonly address: readonly string[];
  /** Two letters, by ISO 3166. */
  readonly country: string | undefined;
  readonly taxId: string | undefined;
  readonly email: string | undefined;
}

export const NO_BILLING_DETAILS: BillingDetails = {
  company: undefined,
  address: [],
  country: undefined,
  taxId: undefined,
  email: undefined,
};

/** One way to add credits, with the reason where it is not available. */
interface TopUpMethod {
  readonly kind: "code" | "card" | "token";
  readonly available: boolean;
  readonly reason: string | undefined;
}

/** All ways to add credits, in the order of the dashboard. */
export const TOP_UP_METHODS: readonly TopUpMethod[] = [
  { kind: "code", available: true, reason: undefined },
  { kind: "card", available: false, reason: "This service does not take cards yet." },
  { kind: "token", available: false, reason: "This service does not take tokens yet." },
];
