import { fileURLToPath } from 'node:url';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { buildSync } from 'esbuild';
import type { UnitName } from '../units.ts';

const project = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Bundled CommonJS packages look for `require`, which an ES module does not have. */
const REQUIRE =
  "import { createRequire as __createRequire } from 'node:module';const require = __createRequire(import.meta.url);";

/** Largest bundle of a unit in bytes: a cold start reads and compiles it. */
export const BUNDLE_LIMIT_BYTES = 1_000_000;

/**
 * Bundles `functions/<unit>/handler.ts` with everything that it imports, the SDK too, so that what was tested is what runs. It is split where
 * the source imports on demand: a client that a unit never asks for is never read, and only what is named of a client is kept (in one
 * file esbuild would keep all of it).
 *
 * @param folder where `handler.mjs` and its parts go; left out, nothing is written
 * @returns bytes of all files together
 */
export function bundleUnit(unit: UnitName, folder?: string): number {
  const { metafile } = buildSync({
    absWorkingDir: project(''),
    entryPoints: { handler: `functions/${unit}/handler.ts` },
    outdir: folder ?? 'unwritten',
    write: folder !== undefined,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    minify: true,
    // Error names on the wire are literals; function names in stacks stay readable.
    keepNames: true,
    mainFields: ['module', 'main'],
    banner: { js: REQUIRE },
    metafile: true,
    logLevel: 'warning',
  });
  return Object.values(metafile.outputs).reduce((total, { bytes }) => total + bytes, 0);
}

/** The bundle as the code of a function. The CDK's own bundler writes one file only. */
export function unitCode(unit: UnitName): Code {
  const tryBundle = (folder: string) => bundleUnit(unit, folder) > 0;
  return Code.fromAsset(project(`functions/${unit}`), {
    assetHashType: AssetHashType.OUTPUT,
    // The image is never pulled: bundling happens here.
    bundling: { image: DockerImage.fromRegistry('scratch'), local: { tryBundle } },
  });
}
