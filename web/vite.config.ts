/** The element as one ES module for the wheel: src/deputize/surfaces/http/static/deputize.js. */
import { defineConfig } from 'vitest/config';
import { editorApart } from './scripts/apart.ts';
import { leanMarked } from './scripts/lean.ts';
import { notices } from './scripts/notices.ts';
import { thinTemplates } from './scripts/thin.ts';
import { weighed } from './scripts/weight.ts';

export default defineConfig({
  plugins: [editorApart(), thinTemplates(), leanMarked(), notices(), weighed({ 'deputize.js': 60_000 })],
  build: {
    /* Not Vite's library mode, which leaves white space in. */
    rolldownOptions: {
      input: 'src/deputize.ts',
      preserveEntrySignatures: 'strict',
      output: { format: 'es', entryFileNames: 'deputize.js' },
    },
    modulePreload: false,
    outDir: '../src/deputize/surfaces/http/static',
    emptyOutDir: true,
    target: 'es2022',
    minify: true,
    sourcemap: false,
    reportCompressedSize: true,
  },
  test: { environment: 'node', include: ['{src,scripts}/**/*.test.ts'], restoreMocks: true },
});
