import { PROTOCOLS } from '@tollgate/vocabulary';
import { z } from 'zod';

export const protocolSchema = z.enum(PROTOCOLS);
