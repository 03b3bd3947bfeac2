import type { EnvironmentView } from '../dashboard/data.ts';
import { sha256Hex } from '../shared/domain/canonical-json.ts';
import { poolSkillKey } from '../shared/domain/pools.ts';

/** An environment as a line of a pool in the shape of the released ones, with its hint and what play measured beside it (M31). */
export function poolRow({ card, statistics, source, hint }: EnvironmentView): string {
  const file = `game_${card.hash.slice(0, 16)}.py`;
  return JSON.stringify({
    game_id: card.hash,
    file_name: file,
    original_file_name: file,
    skill: poolSkillKey(card.skill),
    sha256: sha256Hex(source),
    line_count: source.split('\n').length - (source.endsWith('\n') ? 1 : 0),
    byte_count: Buffer.byteLength(source),
    code: source,
    hint,
    title: card.title,
    regret: statistics?.regret ?? null,
    win_rate: statistics?.winRate.unhinted ?? null,
  });
}
