import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Platform } from '../platform.ts';
import { compressText } from '../platform/http/compression.ts';
import { filledPage, noticePage, sendPage } from '../wire/html-page.ts';
import { shapeRoomsErrors } from '../wire/rooms/errors.ts';

type WatchRequest = FastifyRequest<{ Params: { room: string }; Querystring: Record<string, unknown> }>;

const ROOM_ID = /^room_[\w-]{1,128}$/;

/** The page on which people read along. The code that opens the room stays in the fragment or in the person's hands. */
export async function roomPageRoutes(app: FastifyInstance, { log }: Pick<Platform, 'log'>): Promise<void> {
  shapeRoomsErrors(app, log);
  compressText(app);

  app.get('/watch/:room', (request: WatchRequest, reply) => {
    void reply.headers({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
    const { room } = request.params;
    if ('human_code' in request.query || 'code' in request.query) {
      return sendPage(reply.code(400), codeInQuery());
    }
    if (!ROOM_ID.test(room)) return sendPage(reply.code(404), unknownRoom());
    return sendPage(reply, filledPage('room-viewer', { ROOM: room }));
  });
}

function codeInQuery() {
  return noticePage(
    'This link gives the code away',
    'The code stood in the part of the address that servers and proxies write down, so it was not used.',
    'Open the page without it and type the code in, or put it after the # sign: #code=… Ask the owner for a new code if others may have seen this link.',
  );
}

function unknownRoom() {
  return noticePage(
    'There is no such room',
    'The address is incomplete or mistyped. Nothing was lost.',
    'Ask whoever sent it for the whole link, and open it in one piece.',
  );
}
