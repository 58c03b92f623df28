import { randomUUID } from 'node:crypto';
import { startTestEnvironment, type TestEnvironment } from '../../testing/test-environment.ts';
import { dropDraft, keepPart, saveDraft, takeUp } from './export-parts.ts';

let environment: TestEnvironment;
beforeAll(async () => {
  environment = await startTestEnvironment();
});
afterAll(() => environment.stop());

const PART = {
  part: 1,
  name: 'usage-1.csv',
  rows: 3,
  bytes: 90,
  sha256: '0'.repeat(64),
  lastKey: 3,
  sums: {},
};
const DRAFT = { ...PART, rowsOut: 3, encoder: new Uint8Array([1]), upload: null };

/** An export that somebody has just begun to write. */
async function lease(): Promise<{ readonly exportId: string; readonly leaseId: string }> {
  const held = { exportId: randomUUID(), leaseId: randomUUID() };
  await environment.database.query(
    `INSERT INTO billing.export_job (id, kind, format, audience, booked_from, booked_to, watermark, part_rows,
       provider_name, requested_by, status, claimed_by)
     VALUES ($1, 'usage', 'csv', 'books', '2026-10-01', '2026-11-01', 1, 10, 'p', 'o@p.example', 'running', $2)`,
    [held.exportId, held.leaseId],
  );
  return held;
}

const NOT_HELD = 'no longer this one’s to write';

describe.each([
  ['was given to another writer', `claimed_by = gen_random_uuid()`],
  ['was cancelled', `status = 'cancelled'`],
])('an export that %s', (_what, change) => {
  test.each([
    ['drops no draft', dropDraft],
    [
      'writes no draft',
      (...[database, held]: Parameters<typeof dropDraft>) => saveDraft(database, held, { ...DRAFT, rows: 9 }),
    ],
    [
      'completes no file',
      (...[database, held]: Parameters<typeof dropDraft>) => keepPart(database, held, PART),
    ],
  ])('%s', async (_step, step) => {
    const { database } = environment;
    const held = await lease();
    await saveDraft(database, held, DRAFT);
    await database.query(`UPDATE billing.export_job SET ${change} WHERE id = $1`, [held.exportId]);
    await expect(step(database, held)).rejects.toThrow(NOT_HELD);
    expect(await takeUp(database, held)).toMatchObject({
      parts: [],
      draft: { rows: 3, writer: held.leaseId },
    });
  });
});

test('a draft that its writer drops is gone, and no other export’s', async () => {
  const { database } = environment;
  const [held, other] = [await lease(), await lease()];
  for (const each of [held, other]) await saveDraft(database, each, DRAFT);
  await dropDraft(database, held);
  expect(await takeUp(database, held)).toEqual({ parts: [], draft: undefined });
  expect(await takeUp(database, other)).toMatchObject({ draft: { rows: 3 } });
});
