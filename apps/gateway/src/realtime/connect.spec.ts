import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { buildTable, upstream } from '../../testing/forwarding.ts';
import { connectUpstream } from './connect.ts';

test('a session is opened with the marks of the deployments that it has come through', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await new Promise((resolve) => server.once('listening', resolve));
  const asked = new Promise<IncomingHttpHeaders>((resolve) =>
    server.once('connection', (_socket, { headers }) => resolve(headers)),
  );
  const { table, close } = buildTable({
    upstreams: [upstream('one', `http://127.0.0.1:${(server.address() as AddressInfo).port}`, ['a'])],
    pool: { members: [{ upstream: 'one' }] },
    model: { operations: ['realtime'] },
  });
  try {
    const candidates = table.groups.get('g')?.models.get('m')?.realtime ?? [];
    const headers = { 'x-tollgate-hops': 'of the caller' };
    const of = { headers, passHeaders: new Set<string>(), hops: 'a mark', keyId: 'key', isThere: () => true };
    const connected = await connectUpstream(candidates, of);
    expect(connected.ok).toBe(true);
    expect((await asked)['x-tollgate-hops']).toBe('a mark');
    if (connected.ok) connected.session.socket.terminate();
  } finally {
    await close();
    for (const client of server.clients) client.terminate();
    server.close();
  }
});
