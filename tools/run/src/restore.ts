// `npm run restore -- <backup>`: puts the deployment of `npm start` back to a backup, while it is stopped.
import { resolve } from 'node:path';
import { findHome } from './home.ts';
import { restoreHome } from './home-backup.ts';
import { inWords } from './in-words.ts';

const [from] = process.argv.slice(2);
await inWords(async () => {
  if (from === undefined) throw new Error('Usage: npm run restore -- <backup>');
  const home = findHome(process.env);
  await restoreHome(home, resolve(from));
  return [
    `${home} is as it was at the backup. npm start goes on from there, and nothing else has to be done:`,
    'prices that were published since are written down again and the ones of the backup hold, credit is read again',
    'from the books, and what the spools hold is posted.',
  ].join('\n');
});
