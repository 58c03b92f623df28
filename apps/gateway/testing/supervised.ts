// A process of its own, as `supervise` starts them: it listens on the shared port, tells who it is, and ends as it is told
// to by its requests and variables.
import { createServer } from 'node:http';
import { answerPings } from '../src/cluster/kill-when-stuck.ts';
import type { ToProcess, ToSupervisor } from '../src/cluster/messages.ts';
import { parseWorker } from '../src/cluster/worker.ts';

const worker = parseWorker(process.argv.slice(2));
const tell = (message: ToSupervisor) => void process.send?.(message);
const { FAILS, DEAF, PORT } = process.env;
if (FAILS === String(worker?.number)) process.exit(3);

let answerScrape = (_pages: readonly string[]): void => {};
const server = createServer((request, response) => {
  if (request.url === '/crash') process.exit(9);
  if (request.url === '/hang') for (;;);
  if (request.url !== '/scrape') return void response.end(JSON.stringify({ ...worker, pid: process.pid }));
  answerScrape = (pages) => void response.end(JSON.stringify(pages));
  tell({ kind: 'scrape', scrape: 1 });
});
process.on('SIGTERM', () => {
  if (DEAF !== String(worker?.number)) process.exit(0);
});
process.on('SIGINT', () => process.exit(0));
process.on('disconnect', () => process.exit(0));
answerPings();
process.on('message', (message: ToProcess) => {
  if (message.kind === 'pages') answerScrape(message.pages);
  if (message.kind === 'page-requested' && DEAF !== String(worker?.number))
    tell({ kind: 'page', question: message.question, page: `page of ${worker?.number}` });
});
server.listen({ port: Number(PORT), host: '127.0.0.1', reusePort: true }, () =>
  tell({ kind: 'listening', url: '' }),
);
