import { RoomClient, type OpenRoom } from '@parley/server/rooms/testing/room-client';
import type { TestOptions } from '@parley/server/testing/start-server';
import { OpenPage, type OpenOptions, type PageSuite, pageSuite } from '../../shared/testing/page-suite.ts';

export class ViewerPage extends OpenPage {
  /** The room is shown, and the pill says so. */
  async reading(status = 'live'): Promise<void> {
    await this.page.locator('#room').waitFor();
    await this.sees('#status', status);
  }

  /** Closed, and the page says when its words go, which only the transcript knows. */
  async over(grace = '15 min'): Promise<void> {
    await this.reading('closed');
    await this.sees('#next', `Closed. Deleted ${grace} after the last reader leaves, at the latest`);
  }

  async enter(code: string): Promise<void> {
    await this.page.fill('#code', code);
    await this.page.press('#code', 'Enter');
  }

  lines(): Promise<string[]> {
    return this.page.locator('#log .system').allInnerTexts();
  }
}

export interface ViewerSuite extends PageSuite<ViewerPage> {
  readonly client: RoomClient;
  link(room: Pick<OpenRoom, 'id'>, code?: string): string;
  /** Opens the link that an owner would hand to a person. */
  watch(room: Pick<OpenRoom, 'id' | 'code'>, options?: OpenOptions): Promise<ViewerPage>;
}

export function viewerSuite(options: TestOptions = {}): ViewerSuite {
  const suite = pageSuite(options, (page) => new ViewerPage(page));
  const link: ViewerSuite['link'] = ({ id }, code) =>
    `${suite.server.url}/watch/${id}${code === undefined ? '' : `#code=${code}`}`;
  return {
    get server() {
      return suite.server;
    },
    get client() {
      return new RoomClient(suite.server);
    },
    link,
    open: (url, how) => suite.open(url, how),
    watch: (room, how) => suite.open(link(room, room.code), how),
  };
}
