/*
 * Every task at each kind of vendor, whole and as a stream: what the simulator bills by rules of its own is what the books charge,
 * to the last pico-USD.
 */
import { randomUUID } from 'node:crypto';
import { type Books, openBooks } from '../books.ts';
import { type OwnSimulator, startOwnSimulator } from '../pools/own-pool.ts';
import { sharedStack } from '../shared-stack.ts';
import { makeTaskModels } from '../tasks/task-models.ts';
import { expectSameBill, listShown } from './same-bill.ts';
import { sendTask, TASK_FEATURES, TASK_ROWS } from './task-features.ts';

const at = sharedStack();
let simulator: OwnSimulator;
let books: Books;
let made: Awaited<ReturnType<typeof makeTaskModels>>;
beforeAll(async () => {
  simulator = await startOwnSimulator();
  books = openBooks(at.databaseUrl);
  made = await makeTaskModels(at, simulator.url, TASK_FEATURES);
});
afterAll(async () => {
  await books.close();
  await simulator.close();
});

test.each(TASK_ROWS)('$task, $what, streaming: $streams', async ({ task, name, streams }) => {
  const mark = randomUUID();
  const { key, names } = made;
  const answer = await sendTask(at.baseUrl, name, { key, model: names[name] ?? '', mark, streams });
  const isFree = task === 'moderate';
  const row = await expectSameBill(answer, { mark, books, simulator, isFree });
  expect(row['operation']).toBe(task);
  expect(listShown(row)).toEqual(expect.arrayContaining([...(TASK_FEATURES[name]?.shows ?? [])]));
});
