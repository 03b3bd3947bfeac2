import type { DesignRequest, ExperimentConfig } from '../../shared/contracts/index.ts';
import { drawDocument, parseCorpus } from '../../shared/domain/corpus.ts';
import type { Progress, Store } from '../../shared/ports/index.ts';

/** The grounding document of one request; null when grounding is off (M30). */
export type DrawDocument = (seed: number) => DesignRequest['document'];

/**
 * Opens the corpus of the experiment (M13). Corrupt lines are counted and shown; only a corpus without any document stops.
 * @throws {NotFound} @throws {InvalidInput}
 */
export async function openCorpus(
  config: ExperimentConfig,
  iteration: number,
  deps: { readonly corpora: Store; readonly progress: Progress },
): Promise<DrawDocument> {
  if (!config.grounding.enabled) return () => null;
  const { corpus: key, maxDocTokens } = config.grounding;
  const corpus = parseCorpus(new TextDecoder().decode(await deps.corpora.get(key)), key);
  deps.progress.emit({
    phase: 'plan',
    experiment: config.experiment,
    iteration,
    numbers: { documents: corpus.documents.length, corruptLines: corpus.corrupt.length },
  });
  return (seed) => drawDocument(corpus, seed, maxDocTokens);
}
