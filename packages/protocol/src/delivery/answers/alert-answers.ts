import { z } from 'zod';
import { jsonObject, pageAnswer, time } from '../fields.ts';
import { ALERT_SEVERITIES, ALERT_TYPES } from '../vocabulary.ts';

export const alert = z.object({
  id: z.string(),
  cue_id: z.string(),
  execution_id: z.string().nullable(),
  alert_type: z.enum(ALERT_TYPES),
  severity: z.enum(ALERT_SEVERITIES),
  message: z.string(),
  metadata: jsonObject,
  acknowledged: z.boolean(),
  created_at: time,
});
export const alerts = z.object({ alerts: z.array(alert), ...pageAnswer });
