/** What stands on the element, one module a build: the pages, or with `--mode edit` the card's editor. */
import { defineConfig } from 'vite';
import { onTheElement } from './scripts/apart.ts';
import { thinTemplates } from './scripts/thin.ts';
import { weighed } from './scripts/weight.ts';

const INPUTS: Record<string, string> = { pages: 'src/pages.ts', edit: 'src/argument-editor/argument-editor.ts' };

export default defineConfig(({ mode }) => ({
  mode: 'production',
  plugins: [onTheElement(), thinTemplates(), weighed({ 'pages.js': 20_000, 'edit.js': 4_000 })],
  build: {
    rolldownOptions: {
      input: INPUTS[mode] ?? INPUTS.pages,
      preserveEntrySignatures: 'strict',
      output: { format: 'es', entryFileNames: mode === 'edit' ? 'edit.js' : 'pages.js' },
    },
    modulePreload: false,
    outDir: '../src/deputize/surfaces/http/static',
    emptyOutDir: false,
    target: 'es2022',
    minify: true,
    sourcemap: false,
    reportCompressedSize: true,
  },
}));
