/** Everything that an audit of a run goes by: what clients have, what the upstream served, what the books say. */
export interface Evidence {
  readonly receipts: readonly Receipt[];
  readonly served: readonly Served[];
  readonly rows: readonly UsageRow[];
  /** Ids of the attempts that brought nothing: of their request, with their number behind. */
  readonly lostAttempts: ReadonlySet<string>;
  /** Every entry of a customer's account in the order of the journal; grants are among them. */
  readonly entries: readonly CustomerEntry[];
  /** `GET /api/pricing?version=` of every version that a row names or the run published. */
  readonly prices: ReadonlyMap<number, PriceList>;
  readonly publications: readonly Publication[];
  readonly customers: readonly Customer[];
  /** When Redis lost its data: who was limited may have been let in by as much as was under way then, and no more. */
  readonly redisLossesMs: readonly number[];
  /** When which gateway ended: what it read on for clients that had left is in no book, or is there as far as it was known. */
  readonly gatewayEnds: readonly GatewayEnd[];
  /** Requests whose line in a spool was damaged on purpose: they may be missing, never wrong. */
  readonly damagedIds: ReadonlySet<string>;
  /** What Redis has of credit at rest, in micro-USD. */
  readonly credit: readonly CreditAtRest[];
  readonly openHolds: readonly string[];
  /** How long after a publication a gateway may still admit by the prices before. */
  readonly snapshotLagMs: number;
}

export interface GatewayEnd {
  /** As the receipts name it. */
  readonly gateway: string;
  readonly atMs: number;
}

/** Counts by kind, as the books name kinds; what is not there is none. */
export type Tokens = Readonly<Record<string, number>>;

/** A request as the client that sent it knows it. */
export interface Receipt {
  /** Stands in the text of the request, and so in what the upstream served. */
  readonly n: number;
  readonly customer: string;
  /** The address that it was sent to. */
  readonly gateway: string;
  readonly model: string;
  readonly protocol: string;
  readonly stream: boolean;
  readonly bodyBytes: number;
  readonly maxTokens: number;
  readonly sentMs: number;
  readonly endedMs: number;
  /** Undefined where no head of an answer came. */
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  /** The client has the answer to its last byte. */
  readonly whole: boolean;
  /** What the answer says was used, where it says it. */
  readonly usage: Tokens | undefined;
  /** The upstream breaks its connection off in place of an answer. */
  readonly breaks: boolean;
  /** The client went away on purpose. */
  readonly left: boolean;
  readonly idempotencyKey: string | undefined;
  readonly replayed: boolean;
  /** The gateway said that it could not keep the promise of the Idempotency-Key. */
  readonly unprotected: boolean;
}

export interface Served {
  readonly n: number;
  readonly atMs: number;
  readonly usage: Tokens;
}

export interface UsageRow {
  readonly requestId: string;
  readonly number: number;
  readonly occurredMs: number;
  /** Its gateway's clock said what cannot be: it is booked as of the moment at which it was posted. */
  readonly isClockWrong: boolean;
  readonly postedMs: number;
  readonly accountId: string;
  readonly keyId: string;
  readonly group: string;
  readonly model: string;
  readonly protocol: string;
  readonly stream: boolean;
  readonly version: number;
  readonly tokens: Tokens;
  readonly cost: bigint;
  readonly outcome: string;
}

export interface CustomerEntry {
  /** The last number of its transaction, which has one for each of its requests. */
  readonly number: number;
  readonly firstNumber: number;
  /** Of usage or lost attempts, and not of what people entered. */
  readonly isOfRequests: boolean;
  readonly accountId: string;
  readonly amount: bigint;
  readonly postedMs: number;
}

/** Prices are pico-USD a token; ratios are decimals as they are written. */
export interface PriceList {
  readonly models: ReadonlyMap<string, ModelPrices>;
  readonly groupRatios: ReadonlyMap<string, string>;
}

export interface ModelPrices {
  readonly prices: ReadonlyMap<string, bigint>;
  /** Ascending; the last that the input passes holds for all of the request. */
  readonly tiers: readonly { readonly above: bigint; readonly prices: ReadonlyMap<string, bigint> }[];
  readonly requestMicro: bigint;
}

/** A version, and between which moments it was published. */
export interface Publication {
  readonly version: number;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Customer {
  readonly name: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly group: string;
  readonly mode: 'open' | 'prepaid';
  /** What its key may spend in all, in pico-USD. */
  readonly budget: bigint | undefined;
}

export interface CreditAtRest {
  readonly scope: string;
  readonly left: bigint;
  readonly held: bigint;
}
