// Turns docs/*.md into the pages under /guide/ (called by bundle.mjs). The texts are our own; still, all of it is escaped, and only
// what this file writes becomes markup.
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const docs = fileURLToPath(new URL('../../docs/', import.meta.url));
/** As one would read them; pages that are not named here come last. */
const ORDER = [
  'getting-started',
  'channels',
  'rooms',
  'messages',
  'memory',
  'memory-history',
  'knowledge',
  'reminders-and-handoffs',
  'mcp',
  'bridge',
  'console',
  'identity',
  'cli',
  'sdk',
];

/** `[{ name, title, markup, source }]`, in reading order. */
export async function guidePages() {
  const names = (await readdir(docs)).filter((file) => file.endsWith('.md')).map((file) => file.slice(0, -3));
  names.sort((one, other) => place(one) - place(other) || one.localeCompare(other));
  const pages = [];
  for (const name of names) {
    const source = await readFile(`${docs}${name}.md`, 'utf8');
    pages.push({ name, title: /^# (.+)$/m.exec(source)?.[1] ?? name, source });
  }
  return pages.map(({ name, title, source }) => ({
    name,
    title,
    source,
    markup: `${navigation(pages, name)}<article>${blocks(source.split('\n'), names)}</article>`,
  }));
}

function place(name) {
  return ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length;
}

function navigation(pages, current) {
  const items = pages.map(({ name, title }) => {
    const here = name === current ? ' aria-current="page"' : '';
    return `<li><a href="/guide/${name}"${here}>${escape(title)}</a></li>`;
  });
  return `<nav aria-label="Guide"><ul>${items.join('')}<li><a href="/docs">All calls</a></li></ul></nav>`;
}

const FENCE = /^( *)```(\w*)/;
const ITEM = /^( *)(?:[-*]|(\d+)\.) +/;

function blocks(lines, names) {
  const made = [];
  let prose = [];
  const endProse = () => {
    if (prose.length > 0) made.push(`<p>${inline(prose.join('\n'), names)}</p>`);
    prose = [];
  };
  for (let at = 0; at < lines.length; ) {
    const line = lines[at];
    const take = (fits) => {
      const start = at;
      while (at < lines.length && fits(lines[at], at > start)) at += 1;
      return lines.slice(start, at);
    };
    const heading = /^(#{1,6}) (.+)$/.exec(line);
    const fence = FENCE.exec(line);
    // Comments and pictures are for readers of the repository.
    const isBlock =
      heading || fence || ITEM.test(line) || /^(?:>|\||<!--|<img )/.test(line) || line.trim() === '';
    if (!isBlock) {
      prose.push(line);
      at += 1;
      continue;
    }
    endProse();
    if (heading) {
      const [, { length: level }, title] = heading;
      made.push(`<h${level} id="${slug(title)}">${inline(title, names)}</h${level}>`);
      at += 1;
    } else if (fence) {
      const [open, ...code] = take((each, isLater) => !isLater || each.trim() !== '```');
      at += 1;
      const indent = FENCE.exec(open)[1].length;
      made.push(
        `<pre tabindex="0"><code>${escape(code.map((each) => each.slice(indent)).join('\n'))}</code></pre>`,
      );
    } else if (ITEM.test(line)) {
      made.push(
        list(
          take(
            (each) =>
              ITEM.test(each) || /^ {2,}\S/.test(each) || (each === '' && / {2}/.test(lines[at + 1] ?? '')),
          ),
          names,
        ),
      );
    } else if (line.startsWith('>')) {
      made.push(
        `<blockquote>${blocks(
          take((each) => each.startsWith('>')).map((each) => each.replace(/^> ?/, '')),
          names,
        )}</blockquote>`,
      );
    } else if (line.startsWith('|')) {
      made.push(
        table(
          take((each) => each.startsWith('|')),
          names,
        ),
      );
    } else {
      at += 1;
    }
  }
  endProse();
  return made.join('\n');
}

function list(lines, names) {
  const items = [];
  const isOrdered = ITEM.exec(lines[0])[2] !== undefined;
  for (const line of lines) {
    const item = ITEM.exec(line);
    if (item && item[1] === '') items.push([line.slice(item[0].length)]);
    else items.at(-1).push(line.replace(/^ {2,3}/, ''));
  }
  const tag = isOrdered ? 'ol' : 'ul';
  return `<${tag}>${items.map((item) => `<li>${blocks(item, names)}</li>`).join('')}</${tag}>`;
}

function table(lines, names) {
  const [head, , ...rows] = lines.map((line) =>
    line
      .trim()
      .replace(/^\||\|$/g, '')
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll('\\|', '|')),
  );
  const row = (tag) => (cells) =>
    `<tr>${cells.map((cell) => `<${tag}>${inline(cell, names)}</${tag}>`).join('')}</tr>`;
  const body = rows.map(row('td')).join('');
  return `<div class="table" tabindex="0"><table><thead>${row('th')(head)}</thead><tbody>${body}</tbody></table></div>`;
}

const INLINE = /(`+)(.+?)\1|\*\*(.+?)\*\*|\*(\S.*?)\*|\[([^\]]+)\]\(([^)\s]+)\)/gs;

function inline(text, names) {
  let made = '';
  let at = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, , code, bold, soft, label, target] = match;
    made += escape(text.slice(at, match.index));
    at = match.index + whole.length;
    if (code !== undefined) made += `<code>${escape(code.trim())}</code>`;
    else if (bold !== undefined) made += `<strong>${inline(bold, names)}</strong>`;
    else if (soft !== undefined) made += `<em>${inline(soft, names)}</em>`;
    else made += link(inline(label, names), target, names);
  }
  return made + escape(text.slice(at));
}

/** Pages of the guide link to each other; what is only in the repository stays a name. */
function link(label, target, names) {
  const [, page, anchor = ''] = /^(?:([\w-]+)\.md)?(#[\w-]+)?$/.exec(target) ?? [];
  if (page !== undefined && names.includes(page)) return `<a href="/guide/${page}${anchor}">${label}</a>`;
  if (page === undefined && anchor !== '') return `<a href="${anchor}">${label}</a>`;
  if (target.startsWith('https://')) return `<a href="${escape(target)}" rel="noreferrer">${label}</a>`;
  return label;
}

function slug(title) {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function escape(text) {
  const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replace(/[&<>"]/g, (character) => entities[character]);
}
