/** A Vite plugin that leaves out marked's ready-made instance, which alone keeps a third of the library in the bundle. */
import type { Plugin } from 'vite';

const KEPT = ['Lexer', 'Parser', 'Renderer'];

/** Marked's module without its instance and with the exports in use only. Throws where the module looks otherwise. */
export function lean(code: string): string {
  const instance = /var (\w+)=new \w+;function \w+\(\w+,\w+\)\{return \1\.parse\([\s\S]*?(?=export\{)/;
  const names = /export\{([^}]*)\}/.exec(code)?.[1]?.split(',') ?? [];
  const kept = names.filter((name) => KEPT.includes(name.split(' as ')[1] ?? name));
  if (!instance.test(code) || kept.length !== KEPT.length)
    throw new Error('marked has changed: look at scripts/lean.ts');
  return code.replace(instance, '').replace(/export\{[^}]*\}/, `export{${kept.join(',')}}`);
}

export function leanMarked(): Plugin {
  return {
    name: 'lean-marked',
    transform: (code, id) => (/\/marked\/lib\/marked\.esm\.js$/.test(id) ? { code: lean(code), map: null } : undefined),
  };
}
