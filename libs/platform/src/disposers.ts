/** How parts of a service end, for `AsyncDisposableStack.adopt`. */
export const close = async (part: { close(): unknown }): Promise<void> => void (await part.close());

export const stop = async (part: { stop(): unknown }): Promise<void> => void (await part.stop());

export const disconnect = (connection: { disconnect(): void }): void => connection.disconnect();
