import { readFileSync } from 'node:fs';
import { sharedStack } from '../shared-stack.ts';
import { CLIENTS_DOCUMENT, toLine, squeezed } from './document.ts';
import { installClients } from './install.ts';
import { readAnswers, runLibraries } from './libraries.ts';
import { type Checked, listFailures, matrixRows } from './matrix.ts';
import { makeUpstreamModels, UPSTREAM_MODEL_NAMES } from './upstreams.ts';

// The libraries that people use, from the registry, as docs/set-up-clients.md sets them up: all of them in one process, on every upstream model.
// Coding agents take a gigabyte to install: `npm run clients` runs them.
const at = sharedStack();
const installed = await installClients('libraries');

describe('client libraries', () => {
  let checked: readonly Checked[];
  beforeAll(async () => {
    const key = await makeUpstreamModels(at, 'client-libraries');
    checked = await runLibraries(installed, { baseUrl: at.baseUrl, key });
  }, 240_000);

  test.each(UPSTREAM_MODEL_NAMES)('every check of every one passes on %s', (model) => {
    const own = checked.filter((each) => each.model === model);
    expect(own.length).toBeGreaterThan(100);
    expect(listFailures(own)).toEqual([]);
  });

  test('the AI SDK validates every answer and stream that a conversion makes', async () => {
    const refused = await readAnswers(installed);
    expect(refused).toEqual([{ count: expect.any(Number) }]);
    expect(refused).not.toEqual([{ count: 0 }]);
  }, 60_000);

  test('the page of clients says so', () => {
    const page = squeezed(readFileSync(CLIENTS_DOCUMENT, 'utf8')).split('\n');
    for (const row of matrixRows(checked)) expect(page).toContain(toLine(row));
  });
});
