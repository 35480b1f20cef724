/** Vite plugins by which bundles stand beside each other: what is loaded later, and what stands on the first one. */
import type { Plugin } from 'vite';

const LATER = "import('../argument-editor/argument-editor.js')";
const MARK = 'DEPUTIZE_EDITOR_LATER';

/** The editor is a file of its own beside the bundle; Vite would wrap its import into a loader of styles. */
export function editorApart(): Plugin {
  return {
    name: 'editor-apart',
    apply: 'build',
    enforce: 'pre',
    transform: (code) => (code.includes(LATER) ? { code: code.replace(LATER, MARK), map: null } : undefined),
    generateBundle(_, bundle) {
      const chunks = Object.values(bundle).filter((part) => part.type === 'chunk');
      if (!chunks.some((part) => part.code.includes(MARK))) this.error('the editor is not loaded anywhere');
      for (const part of chunks) part.code = part.code.replace(MARK, "import('./edit.js')");
    },
  };
}

/** What is shared is taken from the element's own bundle, which stands beside this one. */
export function onTheElement(): Plugin {
  return {
    name: 'on-the-element',
    enforce: 'pre',
    resolveId: (id) => (id.endsWith('/shared.js') ? { id: './deputize.js', external: true } : undefined),
  };
}
