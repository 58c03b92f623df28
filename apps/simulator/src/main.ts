import { startSimulator } from './simulator.ts';

const simulator = await startSimulator({
  port: Number(process.env['PORT'] ?? 0),
  host: process.env['HOST'] ?? '127.0.0.1',
});
process.stdout.write(`${JSON.stringify({ service: 'simulator', msg: 'listening', url: simulator.url })}\n`);

const stop = () => void simulator.close().then(() => process.exit(0));
process.on('SIGTERM', stop);
process.on('SIGINT', stop);
if (process.send) process.on('disconnect', stop);
