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

/** The two fonts of every screen are fetched beside the code, not once something has been laid out without them. */
function preloadFonts(): Plugin {
  return {
    name: 'preload-fonts',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle = {} }) =>
        Object.keys(bundle)
          .filter((name) => /\/(inter-latin-wght-normal|jetbrains-mono-latin-400-normal)-.{8}\.woff2$/.test(name))
          .map((name) => ({
            tag: 'link',
            attrs: { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: '', href: `./${name}` },
            injectTo: 'head',
          })),
    },
  };
}

export default defineConfig({
  base: './',
  plugins: [react(), preloadFonts(), precompress()],
  build: {
    outDir: '../../../dist/admin/client',
    emptyOutDir: true,
    target: 'es2022',
    // Fonts and images as data: URLs would break the content security policy (OPS-201).
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          // What the first screen needs, in one file: forty small ones cost more in headers than they save in content.
          groups: [
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
