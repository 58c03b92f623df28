import { EVENT, type KeyChanged, keyChangedSchema } from '@tollgate/contracts';
import { openRedis } from './test-environment.ts';

/** Hears which keys are announced as changed. */
export interface KeyListener {
  readonly heard: readonly KeyChanged[];
  close(): void;
}

export async function listenForKeys(redisUrl: string): Promise<KeyListener> {
  const redis = await openRedis(redisUrl);
  const heard: KeyChanged[] = [];
  redis.on('message', (_channel: string, message: string) => {
    heard.push(keyChangedSchema.parse(JSON.parse(message)));
  });
  await redis.subscribe(EVENT.keyChanged);
  return { heard, close: () => redis.disconnect() };
}
