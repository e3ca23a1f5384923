// A step of the build: makes pages of the documents in `docs/`, which the server shows under `/_/docs`.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Marked } from 'marked';

const ROOT = join(import.meta.dirname, '../../..');
const OUT = join(ROOT, 'dist/admin/docs');
/** For those who change Roost itself: read beside its source. */
const LEFT_OUT = new Set(['architecture.md']);

const START = 'reference/README.md';

/** The order of the contents; what is not listed follows. */
const CHAPTERS = [
  'reference/README',
  'reference/collections',
  'reference/records',
  'reference/filters-and-rules',
  'reference/accounts',
  'reference/realtime',
  'reference/files',
  'reference/batch',
  'reference/settings',
  'reference/operations',
  'reference/command-line',
  'reference/extending',
  'reference/scaling',
  'reference/admin-ui',
];

const slug = (text) =>
  text
    .replace(/<[^>]*>/g, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

const titleOf = (text) => /^# (.+)$/m.exec(text)[1];
const names = readdirSync(join(ROOT, 'docs'), { recursive: true })
  .filter((name) => name.endsWith('.md') && !LEFT_OUT.has(name))
  .map((name) => name.slice(0, -'.md'.length).replaceAll('\\', '/'))
  .toSorted();
const documents = [...CHAPTERS, ...names.filter((name) => !CHAPTERS.includes(name))].map((name) => {
  const source = `${name}.md`;
  const text = readFileSync(join(ROOT, 'docs', source), 'utf8');
  return { source, text, title: titleOf(text), path: source === START ? 'index.html' : `${name}.html` };
});
const pages = new Map(documents.map(({ source, path }) => [source, path]));

/** The address of what a document links to, from its own page; undefined for what is not among the pages. */
function addressOf(href, { source, path }) {
  if (/^(https?:|#)/.test(href)) return href;
  const [target, hash] = href.split('#');
  const page = pages.get(posix.join(posix.dirname(source), target));
  return page && posix.relative(posix.dirname(path), page) + (hash ? `#${hash}` : '');
}

function render(document) {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const html = this.parser.parseInline(tokens);
        return `<h${depth} id="${slug(html)}">${html}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const address = addressOf(href, document);
        const text = this.parser.parseInline(tokens);
        return address === undefined ? text : `<a href="${escape(address)}">${text}</a>`;
      },
    },
  });
  // What a name in source and tests leads to can be seen.
  return marked
    .parse(document.text)
    .replaceAll(/<a id="([A-Z]+-\w+)"><\/a>/g, '<a id="$1" class="id" href="#$1">$1</a> ');
}

rmSync(OUT, { recursive: true, force: true });
const write = (path, content) => {
  mkdirSync(dirname(join(OUT, path)), { recursive: true });
  writeFileSync(join(OUT, path), content);
  writeFileSync(join(OUT, `${path}.gz`), gzipSync(content, { level: 9 }));
};

for (const document of documents) {
  const { title, path } = document;
  const up = path.includes('/') ? '../' : './';
  const entries = documents.map(
    (each) =>
      `<li><a href="${up}${each.path}"${each === document ? ' aria-current="page"' : ''}>${each.title}</a></li>`,
  );
  write(
    path,
    `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <title>${title} – Roost</title>
    <link rel="stylesheet" href="${up}docs.css" />
  </head>
  <body>
    <nav aria-label="Contents"><a href="${up}../">Admin UI</a><ul>${entries.join('')}</ul></nav>
    <main>
${render(document)}
    </main>
  </body>
</html>
`,
  );
}
write('docs.css', readFileSync(join(import.meta.dirname, 'docs.css')));
