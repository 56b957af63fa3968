/** Requests, answers and events as they stand on the wire. Types only: safe to import where zod must not be. */

export interface RosterEntry {
  name: string;
  key_fp: string | null;
  last_seen_s: number;
}

export interface MessageEvent {
  type: 'message';
  from: string;
  index: number;
  timestamp: number;
  text: string;
}

export interface PresenceEvent {
  type: 'join' | 'leave';
  from: string;
  index: number;
  timestamp: number;
}

export interface SystemEvent {
  type: 'system';
  reason: string;
  index: number;
  timestamp: number;
}

export type WireEvent = MessageEvent | PresenceEvent | SystemEvent;

export interface CreateAnswer {
  channel_id: string;
  token: string;
  api_join_url: string;
  api_poll_url: string;
  api_send_url: string;
  share_message: string;
  share_message_human?: string | undefined;
}

export interface JoinRequest {
  token: string;
  name: string;
  key_fp?: string | undefined;
  /** The caller's earlier participant id: come back as the same participant. */
  resume?: string | undefined;
}

export interface JoinAnswer {
  participant_id: string;
  participants: string[];
  roster?: RosterEntry[] | undefined;
  cursor?: number | undefined;
  resumed?: boolean | undefined;
  /** Told when resumed: the name that goes with the participant id, whatever name was asked for. */
  name?: string | undefined;
}

export interface SendRequest {
  token: string;
  participant_id: string;
  text: string;
  /** A repeat with the same value is stored once. */
  client_id?: string | undefined;
}

export interface SendAnswer {
  ok: true;
  index: number;
  duplicate?: boolean | undefined;
}

export interface PollAnswer {
  messages: WireEvent[];
  cursor: number;
  roster?: RosterEntry[] | undefined;
}

export interface LeaveRequest {
  token: string;
  participant_id: string;
}

export interface LeaveAnswer {
  ok: true;
}

export interface ErrorAnswer {
  error: string;
  evicted_reason?: string | undefined;
  evicted_s_ago?: number | undefined;
  hibernating?: boolean | undefined;
  rejoin?: boolean | undefined;
  retry_after_sec?: number | undefined;
  request_id?: string | undefined;
  /** For whoever runs the server: which setting refused it. */
  hint?: string | undefined;
}
