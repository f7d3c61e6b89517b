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
