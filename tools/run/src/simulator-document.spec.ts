import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { simulatorDocument } from './simulator-document.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/simulator.md'), 'utf8');

test('docs/simulator.md says what the simulator refuses; if not, run npm run docs', () => {
  expect(page).toBe(simulatorDocument());
});
