import type { FastifyRequest } from 'fastify';
const LLM_CLIENTS = words('Claude-User claude-cli Anthropic GPT ChatGPT OpenAI Gemini Bard PerplexityBot');
const SEARCH_BOTS = words(
  'Googlebot Bingbot DuckDuckBot Slurp YandexBot Baiduspider facebookexternalhit Twitterbot LinkedInBot Applebot',
);
const CLAUDE_WEB_FETCH = words('Claude-User');

type Caller = 'browser' | 'claude-web-fetch' | 'agent';

/** Who asks for a page: a person's browser, a web fetch that cannot run commands, or anything else. */
export function callerOf({ userAgent = '', accept = '' }: { userAgent?: string; accept?: string }): Caller {
  if (CLAUDE_WEB_FETCH.test(userAgent)) return 'claude-web-fetch';
  return wantsHtml({ userAgent, accept }) && !SEARCH_BOTS.test(userAgent) ? 'browser' : 'agent';
}

/** A search bot may index pages for people, so it never counts as an LLM client. */
export function wantsHtml({ userAgent = '', accept = '' }: { userAgent?: string; accept?: string }): boolean {
  const isLlm = LLM_CLIENTS.test(userAgent) && !SEARCH_BOTS.test(userAgent);
  return accept.toLowerCase().includes('text/html') && !isLlm;
}

/** Matches any of the words standing alone, in any case. */
function words(list: string): RegExp {
  return new RegExp(`(?<![A-Za-z0-9])(?:${list.split(' ').join('|')})(?![A-Za-z0-9])`, 'i');
}

/** What a request says about who asks. */
export function askerOf({ headers }: FastifyRequest): { userAgent?: string; accept?: string } {
  return { userAgent: headers['user-agent'], accept: headers.accept };
}
