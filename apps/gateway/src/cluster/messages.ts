/** What a process tells the one that supervises it. */
export type ToSupervisor =
  /** It takes requests from now on. */
  | { readonly kind: 'listening'; readonly url: string }
  /** Its event loop turns. */
  | { readonly kind: 'pong' }
  /** It was asked for the metrics of all processes. */
  | { readonly kind: 'scrape'; readonly scrape: number }
  /** Its own metrics, as it was asked. */
  | { readonly kind: 'page'; readonly question: number; readonly page: string };

/** What a process is told by the one that supervises it. */
export type ToProcess =
  | { readonly kind: 'ping' }
  | { readonly kind: 'page-requested'; readonly question: number }
  /** The pages of all processes that answered in time. */
  | { readonly kind: 'pages'; readonly scrape: number; readonly pages: readonly string[] };

/** A process that ends while it is told something does not hear it: nobody needs to know. */
export const unheard = (): void => {};
