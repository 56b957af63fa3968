import { transform } from 'esbuild';

/** As the compiler makes it, but for white space: types go, and imports name the compiled files. */
export async function compiledOf(text) {
  const { code } = await transform(text, {
    loader: 'ts',
    format: 'esm',
    target: 'es2023',
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  });
  return code.replace(/(\bfrom |\bimport |\bimport\()"(\.[^"]*)\.tsx?"/g, '$1"$2.js"');
}
