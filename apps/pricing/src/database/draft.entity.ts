import type { DraftStatus } from '@tollgate/api';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A named list of catalogue changes that is not in force, or was not when it was written. */
@Entity({ schema: 'pricing', name: 'draft' })
export class DraftEntity {
  @PrimaryColumn({ type: 'text' })
  name!: string;

  @Column({ type: 'text' })
  reason!: string;

  /** JSON of the changes, as text, for it may hold characters that jsonb does not. */
  @Column({ type: 'text' })
  changes!: string;

  /** Rises with every change of what the draft says. */
  @Column({ type: 'int' })
  revision!: number;

  @Column({ type: 'text' })
  status!: DraftStatus;

  @Column({ type: 'timestamptz', name: 'effective_at', nullable: true })
  effectiveAt!: Date | null;

  @Column({ type: 'text' })
  actor!: string;

  @Column({ type: 'timestamptz', name: 'changed_at' })
  changedAt!: Date;

  @Column({ type: 'int', nullable: true })
  version!: number | null;

  @Column({ type: 'text', nullable: true })
  failure!: string | null;
}
