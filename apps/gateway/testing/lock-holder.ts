// A process of its own: takes the spool that it is told, says which directory it got, and keeps it until it is killed.
import { takeSpool } from '../src/cluster/spool-directory.ts';

const [root = '', number = '1', of = '1'] = process.argv.slice(2);
const { path } = await takeSpool(root, { number: Number(number), of: Number(of) });
process.send?.(path);
process.on('disconnect', () => process.exit());
