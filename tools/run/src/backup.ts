// `npm run backup -- <directory>`: a backup of the deployment that `npm start` runs, while it runs.
import { resolve } from 'node:path';
import { backUpHome } from './home-backup.ts';
import { findHome } from './home.ts';
import { inWords } from './in-words.ts';

const [into] = process.argv.slice(2);
await inWords(async () => {
  if (into === undefined) throw new Error('Usage: npm run backup -- <directory>');
  return backUpHome(findHome(process.env), resolve(into));
});
