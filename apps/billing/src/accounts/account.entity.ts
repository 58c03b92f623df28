import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { UnitLimits } from '../keys/limits.ts';

/** Who pays. */
@Entity({ schema: 'billing', name: 'account' })
export class AccountEntity {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text', default: 'active' })
  status!: 'active' | 'disabled';

  @Column({ type: 'text', name: 'time_zone', default: 'UTC' })
  timeZone!: string;

  @Column({ type: 'text', default: 'postpaid' })
  mode!: 'prepaid' | 'postpaid';

  /** Pico-USD that a postpaid account may go below zero; null is no limit. */
  @Column({ type: 'numeric', name: 'credit_limit_pico', nullable: true })
  creditLimitPico!: string | null;

  @Column({ type: 'int', name: 'requests_per_minute', nullable: true })
  requestsPerMinute!: number | null;

  @Column({ type: 'int', name: 'tokens_per_minute', nullable: true })
  tokensPerMinute!: number | null;

  @Column({ type: 'int', name: 'concurrent_requests', nullable: true })
  concurrentRequests!: number | null;

  @Column({ type: 'jsonb', name: 'units_per_minute', nullable: true })
  unitsPerMinute!: UnitLimits | null;

  /** The groups that its people may put keys in; null is those that the deployment allows to every account. */
  @Column({ type: 'text', array: true, name: 'allowed_groups', nullable: true })
  allowedGroups!: string[] | null;

  /** Null is what the deployment allows to every account. */
  @Column({ type: 'int', name: 'max_keys', nullable: true })
  maxKeys!: number | null;

  /** The end of its last closed period. */
  @Column({ type: 'timestamptz', name: 'closed_until', nullable: true })
  closedUntil!: Date | null;

  @CreateDateColumn({ type: 'timestamptz', name: 'created_at' })
  createdAt!: Date;
}
