const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const SHORT = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const NICKNAMES: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
};

const two = (text: string): string => text.padStart(2, '0');
const isNumber = (text: string): boolean => /^\d+$/.test(text);

/** A cron line as a person would say it; undefined where it would take more than a few words. */
export function cronWords(cron: string): string | undefined {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = (
    NICKNAMES[cron.trim()] ?? cron.trim()
  ).split(/\s+/);
  if (month !== '*') return undefined;
  const when = dayWords(day, weekday);
  if (when === undefined) return undefined;
  const time = timeWords(minute, hour);
  if (time === undefined) return undefined;
  return when === '' ? time : `${when}, ${time}`;
}

function timeWords(minute: string, hour: string): string | undefined {
  const each = /^\*\/(\d+)$/.exec(minute)?.[1];
  if (hour === '*') {
    if (minute === '*') return 'every minute';
    if (each !== undefined) return `every ${each} minutes`;
    if (minute === '0') return 'every hour';
    return isNumber(minute) ? `every hour at ${two(minute)} past` : undefined;
  }
  const hours = /^\*\/(\d+)$/.exec(hour)?.[1];
  if (hours !== undefined && isNumber(minute)) return `every ${hours} hours at ${two(minute)} past`;
  const listed = hour.split(',');
  if (!isNumber(minute) || !listed.every(isNumber)) return undefined;
  return `at ${listed.map((one) => `${two(one)}:${two(minute)}`).join(' and ')}`;
}

/** Empty: every day. */
function dayWords(day: string, weekday: string): string | undefined {
  if (day === '*' && weekday === '*') return '';
  if (day !== '*') return isNumber(day) && weekday === '*' ? `on day ${day} of the month` : undefined;
  if (weekday === '1-5' || weekday.toLowerCase() === 'mon-fri') return 'on weekdays';
  if (weekday === '0,6' || weekday === '6,0') return 'at the weekend';
  const named = weekday
    .split(',')
    .map((each) => DAYS[isNumber(each) ? Number(each) : SHORT.indexOf(each.toLowerCase())]);
  return named.every((name) => name !== undefined) ? `on ${named.join(' and ')}` : undefined;
}
