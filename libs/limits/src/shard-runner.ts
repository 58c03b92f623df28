import {
  decodeOutcome,
  encodeWork,
  markUndone,
  mergeOutcomes,
  type Outcome,
  planShards,
  planUndo,
  type ShardPlan,
  type Work,
} from './shard-plan.ts';
import { AwayError, type Shards } from './shards.ts';

/** Does work on the shards that it has to do with, all at once. */
interface ShardRunner {
  /** Everything or nothing: when one shard refuses, what the others took is given back before the answer. */
  take(work: Work): Promise<Outcome>;
  /**
   * Runs steps that need not happen together.
   *
   * @param isLast marks the steps that wait until all others have succeeded.
   * @throws when some of them failed.
   */
  apply(work: Work, isLast?: (plan: ShardPlan) => boolean): Promise<unknown>;
}

const FIRST = [0];
const REFUSED: Outcome = { admitted: false, levels: [], leased: [], free: [], scopes: [] };

export function createShardRunner(shards: Shards, now: () => number | ''): ShardRunner {
  async function runPlan({ shard, work }: Pick<ShardPlan, 'shard' | 'work'>): Promise<Outcome> {
    const [keys, args] = encodeWork(work, now());
    return decodeOutcome(work, (await shards.run(shard, keys, args)) as (string | number)[]);
  }

  function runAlone(work: Work): Promise<Outcome> {
    if (shards.away(FIRST)) throw new AwayError('Redis is away');
    return runPlan({ shard: 0, work });
  }

  function split(work: Work): ShardPlan[] {
    const plans = planShards(work, shards.findShard);
    if (shards.away(plans.map(({ shard }) => shard))) throw new AwayError('Redis is away');
    return plans;
  }

  async function applySplit(work: Work, isLast: (plan: ShardPlan) => boolean): Promise<void> {
    const plans = split(work);
    await allOf(plans.filter((plan) => !isLast(plan)).map(runPlan));
    await allOf(plans.filter(isLast).map(runPlan));
  }

  return {
    async take(work) {
      if (shards.single) return runAlone(work);
      const plans = split(work);
      const [first] = plans;
      if (plans.length === 1 && first) return runPlan(first);
      const results = await Promise.allSettled(plans.map(runPlan));
      const failed = results.find((result) => result.status === 'rejected');
      const outcomes = results.map((result) => (result.status === 'fulfilled' ? result.value : REFUSED));
      if (outcomes.every(({ admitted }) => admitted)) return mergeOutcomes(plans, outcomes);
      const undoing = plans.flatMap((plan, index) => {
        const outcome = outcomes[index];
        return outcome?.admitted ? [runPlan({ shard: plan.shard, work: planUndo(plan, outcome) })] : [];
      });
      const settled = await Promise.allSettled(undoing);
      const stuck = failed ?? settled.find((result) => result.status === 'rejected');
      if (stuck) throw stuck.reason as Error;
      const after = outcomes.map((outcome, index) => {
        const plan = plans[index];
        return outcome.admitted && plan ? markUndone(plan, outcome) : outcome;
      });
      return { ...mergeOutcomes(plans, after), admitted: false };
    },
    apply: (work, isLast = () => false) => (shards.single ? runAlone(work) : applySplit(work, isLast)),
  };
}

async function allOf(works: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(works)).find((result) => result.status === 'rejected');
  if (failed) throw failed.reason as Error;
}
