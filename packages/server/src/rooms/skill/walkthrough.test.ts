import type { StateAnswer, TranscriptAnswer } from '@parley/protocol/rooms/types';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findShells } from '../../channels/pages/shell/testing/shells.ts';
import { startServer, type TestServer } from '../../testing/start-server.ts';
import { MODULE_PAGES } from './playbook.ts';
import { type Block, blocksOf, PageReader } from './testing/page-reader.ts';

const REPLY = 'I say a tide entry lives six hours: "slack" water moves.\nWhat does your forecast need?';
const EXAMPLE = /(reply\.txt" <<'END'\n)[\s\S]*?(^END$)/m;

describe.each(findShells())('skill page, followed in $name', (shell) => {
  let server: TestServer;
  let owner: PageReader;
  let peer: PageReader;
  let blocks: Block[];

  beforeEach(async () => {
    server = await startServer();
    const pages = ['/skill.md', ...Object.keys(MODULE_PAGES).map((module) => `/skill/${module}.md`)];
    const texts = await Promise.all(pages.map(async (page) => (await fetch(server.url + page)).text()));
    blocks = texts.flatMap(blocksOf);
    owner = new PageReader(shell, 'harbour-bot');
    peer = new PageReader(shell, 'tide-watcher');
  });
  afterEach(async () => {
    await Promise.all([owner.close(), peer.close()]);
    await server.close();
  });

  const readersOf = ({ role }: Block): PageReader[] => {
    if (role === 'both') return [owner, peer];
    if (role === 'owner') return [owner];
    if (role === 'peer') return [peer];
    throw new Error(`the page does not say who runs a block: ${JSON.stringify(role)}`);
  };
  /** Each write to memory is a second later than the one before: what does not look at it stops here. */
  const memoryStart = (): number => blocks.findIndex(({ script }) => script.includes('now()'));
  const turnBlocks = (): Block[] => blocks.filter(({ role }) => role === 'turn');

  /** The page from top to bottom. The blocks of a turn are for one agent after the other. */
  async function follow(upTo = blocks.length): Promise<string[]> {
    const printed: string[] = [];
    const first = blocks.findIndex(({ role }) => role === 'turn');
    for (const [at, block] of blocks.slice(0, upTo).entries()) {
      if (at === first) for (const speaker of [owner, peer]) printed.push(...(await takeTurn(speaker)));
      if (block.role === 'turn') continue;
      for (const reader of readersOf(block)) printed.push(await reader.run(block));
    }
    return printed;
  }

  async function takeTurn(speaker: PageReader, text?: string): Promise<string[]> {
    const printed: string[] = [];
    for (const { script } of turnBlocks()) {
      const own = text === undefined ? script : script.replace(EXAMPLE, (_, a, b) => `${a}${text}\n${b}`);
      printed.push(await speaker.run({ script: own }));
    }
    return printed;
  }

  test('is enough for a room: two agents take turns and a person reads it', async () => {
    const printed = (await follow(memoryStart())).join('\n');
    expect(printed).toContain('room.turn_ready');
    expect(printed).not.toContain('Not my turn.');
    expect(printed).toContain('event: message.created');
    expect(printed).toMatch(/Your person reads along at http\S+\/watch\/room_\S+#code=hc_/);

    const { state, transcript } = ending(printed);
    expect(state).toMatchObject({ state: 'CLOSED', turn_index: 2 });
    expect(transcript.messages).toMatchObject([
      { sender_name: 'harbour-bot', turn: 0, ciphertext: REPLY, read_by_opponent: true },
      { sender_name: 'tide-watcher', turn: 1, ciphertext: REPLY },
    ]);
  });

  test('is enough to leave a message, to answer it, and to see how far it came', async () => {
    const printed = (await follow(memoryStart())).join('\n');
    expect(printed).toContain('Others write to me at harbour-bot@harbour-bot');
    expect(printed).toContain('"body":"Six hours it is. Shall I write the \\"slack water\\" case?"');
    expect(printed).toContain('"proven_stage":"acked"');
    const answer = printed.split('\n').find((line) => line.includes('"body":"Please do."')) ?? '{}';
    expect(JSON.parse(answer)).toMatchObject({ reply_to: expect.stringMatching(/^msg_/) as string });
  });

  test('works to the last command: an agent writes, wakes up, changes and hands over what it remembers', async () => {
    const printed = (await follow()).join('\n');
    const answers = printed.split('\n').filter((line) => line.startsWith('{"ok":true'));
    expect(answers.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { created: true },
      { count: 1 },
      { startup_summary: { orientation: { open_loops: ['ask whether six hours is enough'] } } },
      { operations_applied: 3 },
      { session_end_snapshot_applied: true, resume_quality: { adequate: true } },
    ]);
  });

  test('is enough to report each run of a cue', async () => {
    const login = blocks.findIndex(({ script }) => script.includes('/v1/agent/login'));
    for (const block of blocks.slice(0, login + 1)) await owner.run(block);
    const about = (part: string): Block => {
      const block = blocks.find(({ script }) => script.includes(part));
      if (!block) throw new Error(`no block of the page has ${part}`);
      return block;
    };
    await owner.run(about('"$API/v1/cues" -d'));
    for (const _day of ['first', 'second']) {
      const [, fired] = /"execution_id":"([^"]+)"/.exec(await owner.run(about('/fire'))) ?? [];
      const reported: unknown = JSON.parse(await owner.run(about('/outcome')));
      expect(reported).toMatchObject({ execution_id: fired, outcome_recorded: true });
    }
  });

  test('is enough to speak until the room is full, whatever is said', async () => {
    await follow(blocks.findIndex(({ role }) => role === 'turn'));
    const said = [
      'plain',
      '\tC:\\new "quoted" $HOME `id` %s é 🌊',
      "it's\n\n}{\\",
      '\\n is no line',
      '- a',
      'bye',
    ];
    for (const [turn, text] of said.entries()) await takeTurn(turn % 2 === 0 ? owner : peer, text);

    const transcripts = blocks.filter(({ script }) => script.includes('/transcript'));
    const { state, transcript } = ending(await owner.run(transcripts.at(-1) ?? { script: '' }));
    expect(state).toMatchObject({ state: 'CLOSED', turn_index: 6, max_turns: 6 });
    // Messages are trimmed as every text is.
    expect(transcript.messages.map(({ ciphertext }) => ciphertext)).toEqual(said.map((text) => text.trim()));
  });

  test('keeps keys, tokens and codes out of the log', async () => {
    const printed = (await follow()).join('\n');
    expect(printed).not.toMatch(/\bak_[\w-]{20}/);
    expect(server.rawLog()).not.toMatch(/\b(?:ak|as|rat|hc|hv)_[\w-]{8}/);
  });
});

/** The last block about the room prints its state and then its transcript. */
function ending(printed: string): { state: StateAnswer; transcript: TranscriptAnswer } {
  const lines = printed.split('\n');
  const last = lines.findLastIndex((line) => line.startsWith('{') && line.includes('"sender_name":'));
  const [state = '', transcript = ''] = lines.slice(last - 1, last + 1);
  return { state: JSON.parse(state) as StateAnswer, transcript: JSON.parse(transcript) as TranscriptAnswer };
}
