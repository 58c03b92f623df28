import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { AbstractConnector, type RedisOptions } from 'ioredis';
import type { RedisNode } from './redis-url.ts';

/** Connects to one of these nodes, and at every new connection to the next; it begins at any of them. */
export function nodeInTurn(
  nodes: readonly RedisNode[],
  tls: boolean,
): NonNullable<RedisOptions['Connector']> {
  let turn = Math.floor(Math.random() * nodes.length);
  return class NodeInTurn extends AbstractConnector {
    constructor() {
      super(DISCONNECT_MS);
    }
    override connect(): Promise<Socket> {
      this.connecting = true;
      const node = nodes[turn % nodes.length];
      turn += 1;
      if (!node) return Promise.reject(new Error('no node of the cluster is known'));
      const stream = tls ? connectTls({ ...node, servername: node.host }) : connectTcp({ ...node });
      stream.once('error', (error) => (this.firstError = error));
      this.stream = stream;
      return Promise.resolve(stream);
    }
  };
}

const DISCONNECT_MS = 2_000;
