import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

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

  @CreateDateColumn({ type: 'timestamptz', name: 'created_at' })
  createdAt!: Date;
}
