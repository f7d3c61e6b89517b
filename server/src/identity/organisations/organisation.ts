/** An account as its members see it. */
export interface Organisation {
  readonly id: string;
  readonly name: string;
  /** The name under which its models appear. */
  readonly provider: string;
  readonly operator: boolean;
  readonly suspended: boolean;
  /** It has, or once had, models: what was counted of them stays under the provider's name. */
  readonly hasModels: boolean;
  readonly createdAt: Date;
}

/** What is to be different. What is not given stays. */
export interface OrganisationChange {
  readonly name?: string | undefined;
  readonly provider?: string | undefined;
}

export interface OrganisationStore {
  find(id: string): Promise<Organisation | undefined>;
  change(id: string, change: OrganisationChange): Promise<"changed" | "taken" | "has models">;
  /** With its maker as owner, whose session looks at it from then on. False where the maker owns `most` already. */
  create(
    draft: { readonly id: string; readonly name: string; readonly provider: string },
    maker: { readonly id: string; readonly email: string; readonly sessionId: string },
    most: number,
  ): Promise<boolean>;
  /** Revokes its keys and invitations, lets its members go, stops its webhooks and withdraws its models. */
  close(id: string): Promise<void>;
}
