import { Module } from '@nestjs/common';

/**
 * The gateway keeps nothing that Nest would have to wire: its routes are raw Fastify handlers, registered by
 * `start.ts`. Nest gives it the process life cycle that all services share.
 */
@Module({})
export class GatewayModule {}
