import react from '@vitejs/plugin-react';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { promisify } from 'node:util';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

const COMPRESSIBLE = /\.(html|js|css|svg|json)$/;

/** Writes `.br` and `.gz` beside every text asset, so that the server never compresses one itself (OPS-201). */
function precompress(): Plugin {
  let directory = '';
  return {
    name: 'precompress',
    apply: 'build',
    configResolved: (config) => {
      directory = join(config.root, config.build.outDir);
    },
    closeBundle: async () => {
      const names = (await readdir(directory, { recursive: true })).filter((name) => COMPRESSIBLE.test(name));
      for (const name of names) {
        const path = join(directory, name);
        const text = await readFile(path);
        const brotli = await promisify(brotliCompress)(text, {
          params: { [constants.BROTLI_PARAM_QUALITY]: 10, [constants.BROTLI_PARAM_SIZE_HINT]: text.length },
        });
        await writeFile(`${path}.br`, brotli);
        await writeFile(`${path}.gz`, await promisify(gzip)(text, { level: 9 }));
      }
    },
  };
}

/** The code and the fonts of every screen are fetched beside the first code, not once that has asked for them. */
function preload(): Plugin {
  return {
    name: 'preload',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle = {} }) => {
        const base = Object.values(bundle).find(
          (each) => each.type === 'chunk' && each.moduleIds.some((id) => id.endsWith('/client/main.tsx')),
        );
        if (base?.type !== 'chunk') throw new Error('There is no chunk with main.tsx to preload.');
        const styles = [...(base.viteMetadata?.importedCss ?? [])];
        const fonts = Object.keys(bundle).filter((name) =>
          /\/(inter-latin-wght-normal|jetbrains-mono-latin-400-normal)-.{8}\.woff2$/.test(name),
        );
        const link = (name: string, attrs: Record<string, string>) => ({
          tag: 'link',
          attrs: { ...attrs, crossorigin: '', href: `./${name}` },
          injectTo: 'head' as const,
        });
        return [
          link(base.fileName, { rel: 'modulepreload' }),
          ...styles.map((name) => link(name, { rel: 'stylesheet' })),
          ...fonts.map((name) => link(name, { rel: 'preload', as: 'font', type: 'font/woff2' })),
        ];
      },
    },
  };
}

/**
 * A script in the page itself brings in all others. The policy of the page trusts its hash, and what it brings, instead
 * of whatever this origin serves: uploaded files are served by it too (OPS-33a).
 */
function bringInScripts(): Plugin {
  return {
    name: 'bring-in-scripts',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (html) => {
        const found = [...html.matchAll(/ *<script type="module" crossorigin src="([^"]+)"><\/script>\n/g)];
        const rest = found.reduce((text, [tag]) => text.replace(tag!, ''), html);
        if (found.length === 0 || rest.includes('<script'))
          throw new Error('The scripts of the page are not as expected.');
        return {
          html: rest,
          tags: [
            ...found.map(([, src]) => ({
              tag: 'link',
              attrs: { rel: 'modulepreload', crossorigin: '', href: src! },
              injectTo: 'head' as const,
            })),
            { tag: 'script', children: loaderOf(found.at(-1)![1]!), injectTo: 'body' },
          ],
        };
      },
    },
  };
}

/**
 * Brings in the first script, which imports the others. All that follows has to lie beside it, or where modules of a
 * team serve what they add (EXT-44), by a policy which only the page can say: nobody else knows below which address it
 * is served. Policies have no words for IPv6 addresses.
 */
function loaderOf(src: string): string {
  const statements = [
    `const [assets,extensions]=['assets','extensions'].map(name=>new URL('./'+name+'/',location))`,
    `const add=(tag,attributes)=>document.head.append(Object.assign(document.createElement(tag),attributes))`,
    `if(!assets.host.startsWith('['))add('meta',{httpEquiv:'Content-Security-Policy',content:'script-src '+[assets,extensions].map(({href})=>href.replace(/[;,]/g,encodeURIComponent)).join(' ')})`,
    `add('script',{type:'module',crossOrigin:'',src:${JSON.stringify(src)}})`,
  ];
  return `{${statements.join(';')}}`;
}

const CLIENT_LICENSES = '===== Packages in the admin UI =====';

/** Names the packages whose code is part of the client, with what has to be handed on with it. */
function nameLicenses(): Plugin {
  const directories = new Set<string>();
  return {
    name: 'name-licenses',
    apply: 'build',
    buildEnd() {
      for (const id of this.getModuleIds()) {
        const found = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id);
        if (found) directories.add(found[1]!);
      }
    },
    closeBundle: async () => {
      const texts = await Promise.all([...directories].sort().map(licenseOf));
      const file = join(import.meta.dirname, '../../../dist/licenses.txt');
      const before = await readFile(file, 'utf8').catch(() => '');
      const [ofServer] = before.split(CLIENT_LICENSES);
      await writeFile(file, [ofServer!.trimEnd(), CLIENT_LICENSES, ...texts].join('\n\n').trimStart());
    },
  };
}

async function licenseOf(directory: string): Promise<string> {
  const about = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8')) as PackageInfo;
  const { name, version, license, repository } = about;
  const file = (await readdir(directory)).find((each) => /^licen[cs]e(\.|$)/i.test(each));
  const source = typeof repository === 'string' ? repository : (repository?.url ?? '');
  const head = `${name} ${version} (${license})${source ? `\nSource: ${source}` : ''}`;
  return [head, ...(file ? [(await readFile(join(directory, file), 'utf8')).trim()] : [])].join('\n\n');
}

interface PackageInfo {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly repository?: string | { readonly url?: string };
}

const FIRST: ReadonlySet<string> = new Set(['start', 'base']);

/**
 * What the first screen runs is compiled as a whole, beside the page, and not function by function while it is drawn.
 */
function compileAtOnce(): Plugin {
  return {
    name: 'compile-at-once',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler: (_options, bundle) => {
        for (const chunk of Object.values(bundle)) {
          if (chunk.type === 'chunk' && FIRST.has(chunk.name))
            chunk.code = `//# allFunctionsCalledOnLoad\n${chunk.code}`;
        }
      },
    },
  };
}

export default defineConfig({
  base: './',
  plugins: [react(), compileAtOnce(), bringInScripts(), preload(), precompress(), nameLicenses()],
  build: {
    outDir: '../../../dist/admin/client',
    emptyOutDir: true,
    target: 'es2022',
    // Fonts and images as data: URLs would break the content security policy (OPS-201).
    assetsInlineLimit: 0,
    // The largest is the layout of the diagram, which is fetched with it.
    chunkSizeWarningLimit: 1900,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          // What the first screen needs, in two files, of which the small one asks the server while the other is read.
          // Forty would cost more in headers than they save in content.
          groups: [
            {
              name: 'start',
              test: /client\/start\.ts$/,
              includeDependenciesRecursively: true,
              priority: 1,
            },
            {
              name: 'base',
              test: /client\/main\.tsx$|client\/records\/search-bar\.tsx$/,
              includeDependenciesRecursively: true,
            },
          ],
        },
      },
    },
  },
});
