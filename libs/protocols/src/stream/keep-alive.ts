/** A comment of server-sent events. */
export const KEEP_ALIVE_COMMENT = Buffer.from(': keep-alive\n\n');
