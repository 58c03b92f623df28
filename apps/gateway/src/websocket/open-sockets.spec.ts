import { EventEmitter } from 'node:events';
import { createOpenSockets, type SocketPlace } from './open-sockets.ts';
import type { SocketLimits } from './settings.ts';

const limits: SocketLimits = { inAll: 3, perKey: 2, idleMs: 1_000, maxAgeMs: 1_000, memoryBytes: 0 };

function mustTake(sockets: ReturnType<typeof createOpenSockets>, key: string): SocketPlace {
  const place = sockets.take(key);
  if (typeof place === 'string') throw new Error(place);
  return place;
}
const socket = () => ({ look: jest.fn(), drain: jest.fn() });

test('places are taken when they are asked for, not when the connection is open', () => {
  const sockets = createOpenSockets(limits);
  const first = mustTake(sockets, 'a');
  mustTake(sockets, 'a');
  expect(sockets.take('a')).toBe('key full');
  mustTake(sockets, 'b');
  expect(sockets.take('c')).toBe('all taken');
  expect(sockets.count).toBe(0);
  first.giveUp();
  expect(sockets.take('a')).toMatchObject({});
});

test('a connection that is closed gives its place back', () => {
  const sockets = createOpenSockets(limits);
  const websockets = [new EventEmitter(), new EventEmitter()];
  for (const websocket of websockets) mustTake(sockets, 'a').open(websocket, socket());
  expect([sockets.count, sockets.take('a')]).toEqual([2, 'key full']);
  websockets[0]?.emit('close');
  expect(sockets.count).toBe(1);
  mustTake(sockets, 'a').open(new EventEmitter(), socket());
  for (const websocket of websockets) websocket.emit('close');
});

test('what was being opened while the others were told to end is told, too', () => {
  const sockets = createOpenSockets(limits);
  const place = mustTake(sockets, 'a');
  sockets.drain();
  expect(sockets.take('a')).toBe('stopping');
  const late = socket();
  const websocket = new EventEmitter();
  place.open(websocket, late);
  expect(late.drain).toHaveBeenCalledTimes(1);
  websocket.emit('close');
});
