interface PresetWords {
  readonly argv: readonly [string, ...string[]];
  /** Behind whatever words the user adds. */
  readonly last: readonly string[];
}

/** How agents that live in a terminal are run without one. Each reads its prompt from standard input; no argument holds any of it. */
export const PRESETS = {
  claude: { argv: ['claude', '--print'], last: [] },
  codex: { argv: ['codex', 'exec'], last: ['-'] },
  gemini: { argv: ['gemini', '--prompt', 'The wake is on standard input.'], last: [] },
} as const satisfies Record<string, PresetWords>;

export type Preset = keyof typeof PRESETS;

export const PRESET_NAMES: readonly string[] = Object.keys(PRESETS);

export const isPreset = (word: string): word is Preset => PRESET_NAMES.includes(word);
