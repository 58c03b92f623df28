import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who made a link, so that it works only while they may make it. */
export class AddMakersOfLinks1764000070000 implements MigrationInterface {
  name = 'AddMakersOfLinks1764000070000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- A link whose maker is gone, or was never known, works no more.
      ALTER TABLE billing.one_time_link
        ADD created_by_id uuid,
        ADD CONSTRAINT one_time_link_maker
          FOREIGN KEY (created_by_id) REFERENCES billing.app_user ON DELETE SET NULL NOT VALID;
      UPDATE billing.one_time_link AS link SET created_by_id = maker.id
        FROM billing.app_user AS maker WHERE lower(maker.email) = lower(link.created_by);
      ALTER TABLE billing.one_time_link VALIDATE CONSTRAINT one_time_link_maker;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE billing.one_time_link DROP created_by_id');
  }
}
