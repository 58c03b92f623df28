// `npm run backup -- <directory>`: a backup of the deployment that `npm start` runs, while it runs.
import { resolve } from 'node:path';
import { backUpHome } from './home-backup.ts';
import { findHome } from './home.ts';

const [into] = process.argv.slice(2);
if (into === undefined) throw new Error('Usage: npm run backup -- <directory>');
process.stdout.write(`${await backUpHome(findHome(process.env), resolve(into))}\n`);
