import type { CreditSettlement } from './hold.ts';

/** What Redis could not be told is told again this often. */
const LATE_MS = 500;

/** Settlements that Redis does not have yet, by request: the last word on each counts. They are told until it has them. */
export class LateSettlements {
  private readonly unsettled = new Map<string, CreditSettlement>();
  private readonly settle: (settlement: CreditSettlement) => Promise<void>;
  private readonly timer: NodeJS.Timeout;
  private round: Promise<void> | undefined;

  constructor(settle: (settlement: CreditSettlement) => Promise<void>) {
    this.settle = settle;
    this.timer = setInterval(() => {
      this.round ??= this.tellAll().finally(() => (this.round = undefined));
    }, LATE_MS);
    this.timer.unref();
  }

  note(settlement: CreditSettlement): void {
    this.unsettled.set(settlement.requestId, settlement);
  }

  close(): void {
    clearInterval(this.timer);
  }

  private async tellAll(): Promise<void> {
    for (const settlement of [...this.unsettled.values()]) {
      const { requestId } = settlement;
      const isTold = await this.settle(settlement).then(
        () => true,
        () => false,
      );
      if (isTold && this.unsettled.get(requestId) === settlement) this.unsettled.delete(requestId);
    }
  }
}
