import type { FastifyInstance } from 'fastify';
import { openaiError } from '../formats/openai-error.ts';
import type { VendorBill } from './bill.ts';
import { parsePrices } from './prices.ts';

/** Whoever audits a relay sets the vendor's prices, and compares the relay's books with the vendor's bill. */
export function addBillRoutes(server: FastifyInstance, bill: VendorBill): void {
  server.put('/__sim/prices', (request, reply) => {
    try {
      bill.setPrices(parsePrices(String(request.body)));
    } catch (error) {
      return reply.code(400).send(openaiError(400, (error as Error).message));
    }
    return reply.code(204).send();
  });
  server.get('/__sim/bill', () => bill.list());
  server.delete('/__sim/bill', (_request, reply) => {
    bill.clear();
    return reply.code(204).send();
  });
}
