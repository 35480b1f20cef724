/** One ES module for the wheel: src/deputize/surfaces/http/static/deputize.js. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  build: {
    lib: { entry: 'src/deputize.ts', formats: ['es'], fileName: () => 'deputize.js' },
    outDir: '../src/deputize/surfaces/http/static',
    emptyOutDir: true,
    target: 'es2022',
    minify: true,
    sourcemap: false,
    reportCompressedSize: true,
  },
  test: { environment: 'jsdom', include: ['src/**/*.test.ts'], restoreMocks: true },
});
