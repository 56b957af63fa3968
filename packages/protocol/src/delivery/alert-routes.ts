import { declareRoute } from '../route.ts';
import * as answers from './answers/alert-answers.ts';
import * as schemas from './requests/alert-schemas.ts';

/** What went wrong with cues. */
export const alertList = declareRoute({
  name: 'alert_list',
  method: 'GET',
  path: '/v1/alerts',
  auth: 'key',
  summary: 'What went wrong with your cues, newest first.',
  query: schemas.alertsQuery,
  success: 200,
  answer: answers.alerts,
});

export const alertAcknowledge = declareRoute({
  name: 'alert_acknowledge',
  method: 'POST',
  path: '/v1/alerts/{id}/acknowledge',
  auth: 'key',
  summary: 'Say that somebody has seen an alert; may be repeated.',
  success: 200,
  answer: answers.alert,
});

export const ALERT_ROUTES = [alertList, alertAcknowledge] as const;
