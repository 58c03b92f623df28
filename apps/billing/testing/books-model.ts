import type { TransactionKind } from '@tollgate/vocabulary';

/** A transaction as the model remembers it: what it did to the balance, and what it takes back. */
export interface ModelTransaction {
  readonly kind: TransactionKind;
  readonly amount: bigint;
  readonly bookedAt?: string;
  readonly corrects?: ModelTransaction;
}

/** The books of one account as a list in memory: what must come out of any sequence of events. */
export class BooksModel {
  readonly transactions: ModelTransaction[] = [];
  readonly #requests = new Map<number, ModelTransaction>();
  closedUntil = '';

  get balance(): bigint {
    return this.transactions.reduce((sum, { amount }) => sum + amount, 0n);
  }

  /** Requests are posted once, in the open period. */
  post(request: number, cost: bigint, occurredAt: string): boolean {
    if (this.#requests.has(request)) return false;
    const bookedAt = occurredAt > this.closedUntil ? occurredAt : this.closedUntil;
    const transaction = { kind: 'usage', amount: -cost, bookedAt } as const;
    this.#requests.set(request, transaction);
    this.transactions.push(transaction);
    return true;
  }

  /** Answers whether the books allow it; if so it is done. */
  enter(kind: 'payment' | 'grant' | 'payout' | 'write_off' | 'adjustment', amount: bigint): boolean {
    if (kind === 'payout' && amount > this.balance) return false;
    if (kind === 'write_off' && amount > -this.balance) return false;
    this.transactions.push({ kind, amount: kind === 'payout' ? -amount : amount });
    return true;
  }

  refund(request: number, amount: bigint | undefined): boolean {
    const corrects = this.#requests.get(request);
    if (!corrects) return false;
    const left = this.leftOf(corrects);
    const refunded = amount ?? left;
    if (left === 0n || refunded > left) return false;
    this.transactions.push({ kind: 'refund', amount: refunded, corrects });
    return true;
  }

  correct(wrong: ModelTransaction): boolean {
    if (wrong.kind === 'usage') return false;
    if (this.transactions.some(({ kind, corrects }) => kind === 'correction' && corrects === wrong))
      return false;
    const usage = usageOf(wrong);
    if (usage && -wrong.amount > 0n && -wrong.amount > this.leftOf(usage)) return false;
    this.transactions.push({ kind: 'correction', amount: -wrong.amount, corrects: wrong });
    return true;
  }

  /** What of a request is still paid. */
  leftOf(usage: ModelTransaction): bigint {
    return this.transactions
      .filter((transaction) => usageOf(transaction) === usage)
      .reduce((left, { amount }) => left - amount, 0n);
  }
}

/** The usage that a transaction is, takes back, or takes back the taking back of. */
function usageOf(transaction: ModelTransaction): ModelTransaction | undefined {
  if (transaction.kind === 'usage') return transaction;
  return transaction.corrects && usageOf(transaction.corrects);
}
