// `npm run restore -- <backup>`: puts the house of `npm start` back to a backup, while it is stopped.
import { resolve } from 'node:path';
import { homeOf } from './home.ts';
import { restoreHome } from './home-backup.ts';

const [from] = process.argv.slice(2);
if (from === undefined) throw new Error('Usage: npm run restore -- <backup>');
const home = homeOf(process.env);
await restoreHome(home, resolve(from));
process.stdout.write(`${home} is as it was; npm start goes on from there.\n`);
