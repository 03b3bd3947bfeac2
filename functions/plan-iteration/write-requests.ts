import { DesignRequest, iterationKeys } from '../../shared/contracts/index.ts';
import type { Store } from '../../shared/ports/index.ts';
import { writeOnce } from '../objects.ts';

/** Stores the design requests of one iteration, each once. */
export async function writeRequests(requests: readonly DesignRequest[], episodes: Store): Promise<void> {
  await Promise.all(
    requests.map((request) => {
      const key = iterationKeys(request.experiment, request.iteration).designRequest(request.index);
      return writeOnce(episodes, key, DesignRequest, request);
    }),
  );
}
