import type { Strategy } from "../domain/inference.ts";
import type { NanoCredits } from "../kit/money.ts";

export interface Account {
  readonly id: string;
  readonly name: string;
  /** The provider name under which this account's models appear. */
  readonly provider: string;
  readonly operator: boolean;
  readonly strategy: Strategy | undefined;
  readonly keepsContent: boolean;
  readonly createdAt: Date;
}

export interface AccountStore {
  /** undefined where the provider name is taken. */
  create(account: Account): Promise<Account | undefined>;
  find(id: string): Promise<Account | undefined>;
  list(limit: number, cursor: string | undefined): Promise<Account[]>;
  change(id: string, change: { strategy?: Strategy; keepsContent?: boolean }): Promise<void>;
  grant(id: string, amount: NanoCredits, memo: string): Promise<void>;
}
