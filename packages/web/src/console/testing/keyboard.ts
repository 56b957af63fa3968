import type { Page } from 'playwright-core';

const MOST_STOPS = 250;

/** What has the focus, as it is read out: its label, or the text in it. */
const focusedName = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const here = document.activeElement;
    if (!here || here === document.body) return '';
    const label = 'labels' in here ? (here.labels as NodeListOf<HTMLElement> | null)?.[0] : undefined;
    const text =
      here.getAttribute('aria-label') ?? label?.querySelector('span')?.textContent ?? here.textContent;
    return text.replaceAll(/\s+/g, ' ').trim();
  });

/** Goes on by Tab until something of this name has the focus. */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const seen: string[] = [];
  for (let stop = 0; stop < MOST_STOPS; stop += 1) {
    const here = await focusedName(page);
    if (typeof name === 'string' ? here === name : name.test(here)) return;
    seen.push(here);
    await page.keyboard.press('Tab');
  }
  throw new Error(`no Tab leads to ${String(name)}, only to ${[...new Set(seen)].join(' | ')}`);
}

/** Goes there and presses it. */
export async function pressOn(page: Page, name: string | RegExp): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press('Enter');
}

/** Writes in place of what stands in a field of the open form. */
export async function fillIn(page: Page, label: string | RegExp, text: string): Promise<void> {
  await tabTo(page, label);
  await page.keyboard.press('Control+a');
  await page.keyboard.type(text);
}

const SOON_MS = 8_000;

/** `g` and a letter. A page that is slow takes the two for one each: a person would press them again. */
export async function goTo(page: Page, key: string, heading: string): Promise<void> {
  const there = page.getByRole('heading', { level: 1, name: heading, exact: true });
  for (let attempt = 0; attempt < 3; attempt += 1) {
    await page.keyboard.press('g');
    await page.keyboard.press(key);
    const arrived = await there.waitFor({ timeout: SOON_MS }).then(
      () => true,
      () => false,
    );
    if (arrived) return;
  }
  throw new Error(`g ${key} does not lead to ${heading}`);
}

/** What came of an action is said. */
export const told = (page: Page, text: string): Promise<void> =>
  page.locator('.toast', { hasText: text }).first().waitFor();

/** Takes one of a list by its first letters. */
export async function choose(page: Page, label: string | RegExp, words: string): Promise<void> {
  await tabTo(page, label);
  await page.keyboard.type(words);
}
