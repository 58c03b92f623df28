import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One published version of the catalogue; the database refuses to change or remove it. */
@Entity({ schema: 'pricing', name: 'snapshot' })
export class SnapshotEntity {
  @PrimaryColumn({ type: 'int' })
  version!: number;

  @Column({ type: 'text' })
  hash!: string;

  @Column({ type: 'timestamptz', name: 'published_at' })
  publishedAt!: Date;

  @Column({ type: 'text' })
  actor!: string;

  @Column({ type: 'text' })
  reason!: string;

  /** Canonical JSON, as text: it is what the hash is over. */
  @Column({ type: 'text' })
  catalogue!: string;
}
