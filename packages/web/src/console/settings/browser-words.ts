/** The first that fits is meant: most browsers also name those they resemble. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\/(\d+)/, 'Edge'],
  [/\bOPR\/(\d+)/, 'Opera'],
  [/\b(?:Firefox|FxiOS)\/(\d+)/, 'Firefox'],
  [/\bHeadlessChrome\/(\d+)/, 'Chromium without a window'],
  [/\b(?:Chrome|CriOS|Chromium)\/(\d+)/, 'Chrome'],
  [/\bVersion\/(\d+)\S* (?:Mobile\/\S+ )?Safari\//, 'Safari'],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** `Firefox 140 on macOS`; what says nothing of the kind is told as it is. */
export function browserWords(agent: string): string {
  const browser = BROWSERS.map(([form, name]) => ({ name, version: form.exec(agent)?.[1] })).find(
    ({ version }) => version !== undefined,
  );
  if (!browser) return agent || 'A browser that does not say which';
  const system = SYSTEMS.find(([form]) => form.test(agent))?.[1];
  return `${browser.name} ${browser.version}${system === undefined ? '' : ` on ${system}`}`;
}
