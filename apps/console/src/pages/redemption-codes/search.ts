export interface RedemptionSearch {
  /** The dialog that makes codes is open. */
  readonly create?: true;
}

export const readRedemptionSearch = ({ create }: Readonly<Record<string, unknown>>): RedemptionSearch =>
  create === true ? { create } : {};
