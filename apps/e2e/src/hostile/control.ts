/** What the long areas do to the processes of their own stack; the stack of all end-to-end tests is not to be broken. */
export interface Control {
  /** The gateway whose clock and disk are attacked. */
  readonly url: string;
  /** Its clock goes wrong by so many milliseconds; 0 sets it right. */
  readonly shiftClock: (ms: number) => Promise<void>;
  /** Stops billing, so that usage stays in the spool. */
  readonly freezeBilling: () => void;
  readonly thawBilling: () => void;
  /** Kills that gateway; before it runs again its disk can be changed, and Redis has forgotten what it was given. */
  readonly crash: (changeDisk: (spool: string) => void) => Promise<void>;
}
