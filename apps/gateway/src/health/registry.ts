import { createHash } from 'node:crypto';
import { DEFAULTS, type TargetSettings } from './settings.ts';
import { createTarget, type Target, type TargetView } from './target.ts';
import type { Transition } from './transition.ts';

/** Targets that stand in for each other. */
interface TargetPool {
  readonly targets: readonly string[];
}

export interface CredentialAlert {
  readonly kind: 'credential-refused';
  readonly id: string;
  readonly reason: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

interface RegistryOptions {
  /** The name of this gateway among all. */
  readonly self: string;
  readonly settings?: TargetSettings;
  /** The largest share of a pool that the breakers may hold back at once. */
  readonly maxEjectedShare?: number;
  /** Of a clock that nobody sets, in milliseconds. */
  readonly now?: () => number;
  /** Milliseconds since 1970. */
  readonly wallNow?: () => number;
  readonly random?: () => number;
  /** Raised once by the gateway whose request was refused, not by those that hear of it. */
  readonly alert?: (alert: CredentialAlert) => void;
}

export interface HealthRegistry {
  /** The pools of a new snapshot. A target keeps its state as long as its id is in one of them. */
  update(pools: readonly TargetPool[]): void;
  /** Stays the same object while its id is in the snapshot, so a routing table may hold it. */
  target(id: string): Target | undefined;
  view(): TargetView[];
  /** Every decision of this gateway, to be told to the others. Returns what ends it. */
  changes(listener: (transition: Transition) => void): () => void;
  /** Applies the decision of another gateway. False where it is ours, older than what is known, or not believed. */
  applyRemote(transition: Transition): boolean;
}

/** An upstream with another credential is another target: it starts with a clean record. */
export function targetId(upstream: string, credential: string | null): string {
  const fingerprint =
    credential === null ? 'none' : createHash('sha256').update(credential).digest('hex').slice(0, 12);
  return `${upstream}#${fingerprint}`;
}

/** What this gateway knows of all upstreams and credentials of the current snapshot. */
export function createHealthRegistry(options: RegistryOptions): HealthRegistry {
  const {
    self,
    settings = DEFAULTS.target,
    maxEjectedShare = DEFAULTS.maxEjectedShare,
    alert = () => {},
  } = options;
  const { now = () => performance.now(), wallNow = Date.now, random = Math.random } = options;
  const listeners = new Set<(transition: Transition) => void>();
  let targets = new Map<string, Target>();
  let poolsOf = new Map<string, Target[][]>();

  function mayEject(id: string, at: number): boolean {
    return (poolsOf.get(id) ?? []).every((pool) => {
      const others = pool.filter((target) => target.id !== id);
      const ejected = others.filter((target) => target.ejected(at)).length;
      const remains = others.some((target) => !target.ejected(at) && target.availability(at) === 'ready');
      return remains && ejected + 1 <= Math.floor(pool.length * maxEjectedShare);
    });
  }

  const create = (id: string): Target =>
    createTarget(id, settings, {
      now,
      wallNow,
      random,
      self,
      mayEject: (at) => mayEject(id, at),
      changed(change) {
        const transition = { id, ...change, by: self };
        if (change.state === 'disabled') {
          alert({ kind: 'credential-refused', id, reason: change.reason, at: change.at });
        }
        for (const listener of listeners) listener(transition);
      },
    });

  return {
    update(pools) {
      const kept = new Map<string, Target>();
      const memberships = new Map<string, Target[][]>();
      for (const pool of pools) {
        const ids = [...new Set(pool.targets)];
        const members = ids.map((id) => kept.get(id) ?? targets.get(id) ?? create(id));
        for (const target of members) {
          kept.set(target.id, target);
          memberships.set(target.id, [...(memberships.get(target.id) ?? []), members]);
        }
      }
      targets = kept;
      poolsOf = memberships;
    },
    target: (id) => targets.get(id),
    view: () => [...targets.values()].map((target) => target.view()),
    changes(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    applyRemote: (transition) =>
      transition.by !== self && (targets.get(transition.id)?.applyRemote(transition) ?? false),
  };
}
