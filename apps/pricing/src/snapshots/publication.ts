import type { PriceSnapshot } from '@tollgate/catalogue';

/** Why a change was not published. */
export class PublishError extends Error {
  constructor(
    readonly kind: 'invalid' | 'conflict',
    message: string,
  ) {
    super(message);
  }
}

export interface Publication {
  readonly snapshot: PriceSnapshot;
  /** False when the catalogue was so already: then no version was made. */
  readonly changed: boolean;
}

export interface PublishedBy {
  readonly actor: string;
  readonly reason: string;
  /** The version that the changes are meant for; without it whichever is the newest. */
  readonly expected?: number | undefined;
}
