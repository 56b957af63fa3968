import type { z } from 'zod';
import type { usage } from './schemas.ts';

export type UsageAnswer = z.output<typeof usage>;
